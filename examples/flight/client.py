"""Sends a Parquet file to the scoring service and writes what comes back.

    python client.py grpc://127.0.0.1:8815 IN.parquet OUT.parquet
"""

import sys
import threading

import pyarrow.flight as flight
import pyarrow.parquet as pq


def score(location, batches, schema):
    """Yields the scored batches. Rows go out on a thread of their own while results come in."""
    with flight.connect(location) as client:
        writer, reader = client.do_exchange(flight.FlightDescriptor.for_command(b"score"))

        failures = []

        def send():
            try:
                writer.begin(schema)
                for batch in batches:
                    writer.write_batch(batch)
                writer.done_writing()
            except flight.FlightError:
                pass  # the service has ended the call; its reason arrives at the reader
            except Exception as error:
                failures.append(error)
                reader.cancel()  # nobody waits for rows that will not come

        sender = threading.Thread(target=send)
        sender.start()
        try:
            for chunk in reader:
                yield chunk.data
        except flight.FlightError:
            if not failures:
                raise
        finally:
            reader.cancel()
            sender.join()
        if failures:
            raise failures[0]


def main():
    location, source, target = sys.argv[1:]
    file = pq.ParquetFile(source)
    out = None
    for batch in score(location, file.iter_batches(), file.schema_arrow):
        out = out or pq.ParquetWriter(target, batch.schema)
        out.write_batch(batch)
    if out is not None:
        out.close()


if __name__ == "__main__":
    main()
