"""A TCP proxy on the loopback that passes HTTP on to a server, badly."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

SLOW_DOWN_BODY = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
SLOW_DOWN = (
    b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(SLOW_DOWN_BODY), SLOW_DOWN_BODY)
)
FORBIDDEN_BODY = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
FORBIDDEN = (
    b"HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(FORBIDDEN_BODY), FORBIDDEN_BODY)
)


class FaultyProxy:
    """Faults may be changed while it runs:

    drop_after    closes a connection after so many bytes of answers
    drop_every    but only every so manieth connection
    delay         seconds before an answer is passed on
    busy_every    every so manieth request is answered with 503
    busy_first    so many requests from now on are answered with 503
    forbids       requests are answered with 403
    silent        takes connections and never says anything
    only          faults hit requests alone whose first line holds this text
    """

    def __init__(self, port: int):
        self.server_port = port
        self.faults_seen = 0
        self.heal()
        self.connections = self.requests = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def heal(self) -> None:
        self.drop_after = None
        self.drop_every = 1
        self.delay = 0.0
        self.busy_every = None
        self.busy_first = 0
        self.forbids = False
        self.silent = False
        self.only = b""

    def close(self) -> None:
        self.listener.close()
        with self.lock:
            for connection in self.open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _is_busy(self) -> bool:
        with self.lock:
            self.busy_first -= 1
            return self.busy_first >= 0

    def _fault(self) -> None:
        with self.lock:
            self.faults_seen += 1

    def _serve(self, client: socket.socket) -> None:
        with self.lock:
            self.connections += 1
            number = self.connections
            self.open.add(client)
        try:
            with client, socket.create_connection(("127.0.0.1", self.server_port)) as server:
                self._pass_requests(client, server, number)
        except OSError:
            pass
        finally:
            with self.lock:
                self.open.discard(client)

    def _pass_requests(self, client: socket.socket, server: socket.socket, number: int) -> None:
        passed = 0
        while head := self._read_head(client):
            with self.lock:
                self.requests += 1
                request = self.requests
            is_hit = self.only in head.split(b"\r\n")[0]
            if self.silent and is_hit:
                self._fault()
                while client.recv(65536):
                    pass
                return
            is_busy = self._is_busy() if is_hit else False
            if is_busy or (self.busy_every and is_hit and request % self.busy_every == 0):
                self._fault()
                client.sendall(SLOW_DOWN)
                return
            if self.forbids and is_hit:
                self._fault()
                client.sendall(FORBIDDEN)
                return
            if self.delay and is_hit:
                self._fault()
                time.sleep(self.delay)
            server.sendall(head)
            answer = self._read_head(server)
            client.sendall(answer)
            left = self._length(answer) if not head.startswith(b"HEAD") else 0
            while left > 0:
                data = server.recv(min(65536, left))
                if not data:
                    return
                left -= len(data)
                if self.drop_after is not None and is_hit and number % self.drop_every == 0:
                    if passed + len(data) > self.drop_after:
                        self._fault()
                        client.sendall(data[: self.drop_after - passed])
                        return
                    passed += len(data)
                client.sendall(data)
            if b"connection: close" in answer.lower():
                return

    @staticmethod
    def _read_head(connection: socket.socket) -> bytes:
        """A request or an answer up to its empty line; requests have no more."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = connection.recv(1)
            if not byte:
                return b""
            head += byte
        return head

    @staticmethod
    def _length(head: bytes) -> int:
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return int(line.partition(b":")[2])
        return 0
