"""Several processes on one lake."""

from support import Running, check_finished, lasting, manifest


def test_four_at_once_write_what_one_writes(sample, tmp_path):
    runs = [Running(sample.score(tmp_path / f"out-{i}", "--threads", 1 + i % 2)) for i in range(4)]
    for number, running in enumerate(runs):
        result = running.wait()
        assert result.code == 0, result
        check_finished(tmp_path / f"out-{number}", sample.scored_bytes)
        assert lasting(manifest(tmp_path / f"out-{number}")) == lasting(manifest(sample.scored))
