"""A scoring service: clients send rows over Arrow Flight and get them back with their scores.

    python server.py MODEL.safetensors grpc://127.0.0.1:8815

Batches are scored as they come, so a client may stream more than fits into memory.
"""

import signal
import sys

import pyarrow as pa
import pyarrow.flight as flight

import spuna


class ScoringServer(flight.FlightServerBase):
    def __init__(self, location, model):
        super().__init__(location)
        self._model = model

    def do_exchange(self, context, descriptor, reader, writer):
        try:
            scored = pa.RecordBatchReader.from_stream(self._model.score(reader.to_reader()))
            writer.begin(scored.schema)
            for batch in scored:
                writer.write_batch(batch)
        except (ValueError, pa.ArrowException) as error:
            # Invalid arguments tell the client what was wrong with its rows.
            raise pa.ArrowInvalid(str(error)) from error


def main():
    model = spuna.Model.load(sys.argv[1])
    server = ScoringServer(sys.argv[2], model)
    signal.signal(signal.SIGTERM, lambda *_: server.shutdown())
    print(f"scoring on port {server.port}", flush=True)
    server.serve()


if __name__ == "__main__":
    main()
