"""Lakes in object stores, through a network that fails."""

import contextlib
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import boto3
import pyarrow.fs
import pytest
from faulty_proxy import FaultyProxy
from support import Running, check_finished, hidden_files, manifest, parquet_bytes, parquet_files, run

ACCOUNT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}
BOUND = 90  # seconds in which any run must end, however bad the network is


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def served(program, *arguments):
    """Runs a server of the tests' own environment on a free port, which it yields."""
    port = free_port()
    command = [Path(sys.executable).with_name(program), *arguments, str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < deadline, "the server did not start"
                time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def store(sample):
    """A server that holds the lake and the trusted rows. Its port."""
    with served("moto_server", "-H", "127.0.0.1", "-p") as port:
        client = boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
            aws_access_key_id="test", aws_secret_access_key="test",
        )  # fmt: skip
        client.create_bucket(Bucket="data")
        for name, path in parquet_files(sample.lake).items():
            client.upload_file(str(path), "data", f"lake/{name}")
        client.upload_file(str(sample.trusted), "data", "trusted.parquet")
        client.put_object(Bucket="data", Key="lake/_SUCCESS", Body=b"")
        yield port


@pytest.fixture
def proxy(store):
    proxy = FaultyProxy(store)
    yield proxy
    proxy.close()


def uri(port, path="lake"):
    return f"s3://data/{path}?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"


def score(sample, out, port, *more, **settings):
    return run(*sample.score(out, *more, lake=uri(port)), env=ACCOUNT, timeout=BOUND, **settings)


def test_a_lake_in_a_bucket(sample, store, tmp_path):
    score(sample, tmp_path / "out", store)
    check_finished(tmp_path / "out", sample.scored_bytes)
    total = manifest(tmp_path / "out")["total"]
    assert total["bytes_in"] == sum(path.stat().st_size for path in parquet_files(sample.lake).values())


def test_the_endpoint_from_the_environment(sample, store, tmp_path):
    env = {**ACCOUNT, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store}", "AWS_DEFAULT_REGION": "us-east-1"}
    run(*sample.score(tmp_path / "out", lake="s3://data/lake"), env=env, timeout=BOUND)
    check_finished(tmp_path / "out", sample.scored_bytes)
    run(*sample.score(tmp_path / "some", lake="s3://data/lake/**/part-00[0-2].parquet"), env=env, timeout=BOUND)
    found = {Path(name).name: data for name, data in parquet_bytes(tmp_path / "some").items()}
    assert found == {
        Path(name).name: data for name, data in sample.scored_bytes.items() if name[-9:-8] in "012"
    }


def test_clean_fits_and_scores_from_the_bucket(sample, store, tmp_path):
    model = tmp_path / "m.safetensors"
    run(
        "clean", "--trusted", uri(store, "trusted.parquet"), "--pool", uri(store), "--out", tmp_path / "out",
        "--model", model, env=ACCOUNT, timeout=BOUND,
    )  # fmt: skip
    # The model is that of the same lake on a disk, and so are the scores.
    assert model.read_bytes() == sample.model.read_bytes()
    check_finished(tmp_path / "out", sample.scored_bytes)


def test_a_lake_in_google_storage(sample, tmp_path):
    with served(
        "gcp-storage-emulator", "start", "--host", "127.0.0.1", "--in-memory", "--default-bucket", "data", "--port"
    ) as port:
        settings = f"scheme=http&endpoint_override=127.0.0.1:{port}&retry_limit_seconds=5"
        filesystem, _ = pyarrow.fs.FileSystem.from_uri(f"gs://anonymous@data/lake?{settings}")
        for name, path in parquet_files(sample.lake).items():
            with filesystem.open_output_stream(f"data/lake/{name}") as stream:
                stream.write(path.read_bytes())
        lake = f"gs://anonymous@data/lake?{settings}"
        run(*sample.score(tmp_path / "out", lake=lake), timeout=BOUND)
        check_finished(tmp_path / "out", sample.scored_bytes)
        result = run(*sample.score(tmp_path / "none", lake=lake.replace("lake", "none")), expect=5, timeout=BOUND)
        assert "data/none" in result.err


@pytest.mark.parametrize("path", ["nothing", "lake/none.parquet"])
def test_what_is_not_there_is_named(sample, store, tmp_path, path):
    result = run(*sample.score(tmp_path / "out", lake=uri(store, path)), env=ACCOUNT, expect=5, timeout=BOUND)
    assert path in result.err
    assert not (tmp_path / "out").exists()


def test_a_bucket_that_is_not_there_is_named(sample, store, tmp_path):
    lake = uri(store).replace("//data/", "//nowhere/")
    result = run(*sample.score(tmp_path / "out", lake=lake), env=ACCOUNT, expect=5, timeout=BOUND)
    assert "nowhere" in result.err


def put(port, keys):
    """Puts objects into the bucket, bytes by key."""
    client = boto3.client(
        "s3", endpoint_url=f"http://127.0.0.1:{port}", region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test",
    )  # fmt: skip
    for key, data in keys.items():
        client.put_object(Bucket="data", Key=key, Body=data)


def test_hive_keys_and_a_base_in_a_bucket(sample, store, tmp_path):
    result = run(
        *sample.clean(tmp_path / "one", "--group-by", "day", "--json", lake=uri(store, "lake/day=1")),
        env=ACCOUNT, timeout=BOUND,
    )  # fmt: skip
    assert [row["value"] for row in result.json["groups"]["day"]] == ["1"]
    for name, base in (("a", "s3://data/lake"), ("b", uri(store, "lake/"))):
        arguments = sample.score(tmp_path / name, "--base", base, lake=uri(store, "lake/day=1/part-001.parquet"))
        run(*arguments, env=ACCOUNT, timeout=BOUND)
        assert sorted(parquet_files(tmp_path / name)) == ["day=1/part-001.parquet"]
    for base in ("s3://data/lake/day=2", "s3://other/lake", sample.lake):
        arguments = sample.score(tmp_path / "no", "--base", base, lake=uri(store, "lake/day=1"))
        result = run(*arguments, env=ACCOUNT, timeout=BOUND, expect=1)
        assert "s3://data/lake/day=1/part-001.parquet" in result.err and str(base) in result.err


@pytest.mark.parametrize("sign", ["_delta_log/00000000000000000000.json", "metadata/v1.metadata.json"])
def test_a_table_in_a_bucket_is_not_read_raw(sample, store, tmp_path, sign):
    data = (sample.lake / "day=1/part-001.parquet").read_bytes()
    folder = sign.partition("/")[0].strip("_")
    table = f"{folder}/tables/one"
    put(store, {f"{table}/day=1/{name}": data for name in ("live.parquet", "deleted.parquet")})
    put(store, {f"{table}/{sign}": b"{}", f"{folder}/plain/a.parquet": data})
    ways = [folder, table, f"{table}/", f"{table}/day=1", f"{table}/*/live.parquet", f"{folder}/**/*.parquet"]
    for way in ways:
        result = run(*sample.score(tmp_path / "out", lake=uri(store, way)), env=ACCOUNT, expect=1, timeout=BOUND)
        assert f"s3://data/{table}: " in result.err and "`--input @files.txt`" in result.err
    (tmp_path / "files.txt").write_text(uri(store, f"{table}/day=1/live.parquet") + "\n")
    for name, lake in (("listed", f"@{tmp_path / 'files.txt'}"), ("plain", uri(store, f"{folder}/plain"))):
        run(*sample.score(tmp_path / name, lake=lake), env=ACCOUNT, timeout=BOUND)


def test_every_command_ends_well_without_a_server(sample, tmp_path):
    """The clients of a store end before the process does, also where they have failed."""
    env = {**ACCOUNT, "SPUNA_STORE_RETRIES": "1"}
    out = tmp_path / "out"
    for place in (uri(free_port()), uri(free_port(), "x*/a.parquet"), uri(1).replace("endpoint_override", "nosuch")):
        commands = [
            sample.fit(out, lake=place),
            sample.score(out, lake=place),
            sample.score("-", lake=place),
            sample.clean(out, lake=place),
            ["plan", *sample.clean(out, lake=place)],
            ["evaluate", "--input", place, "--truth", "shifted"],
            ["monitor", "--model", sample.model, "--input", place],
        ]
        for arguments in commands:
            for _ in range(3):
                expected = 1 if "nosuch" in place else 6
                result = run(*arguments, env=env, expect=expected, timeout=BOUND)
                assert "FinalizeS3" not in result.err
                assert result.seconds < BOUND / 3


def test_an_interrupt_while_a_server_is_tried_ends_well(sample, tmp_path):
    running = Running(sample.score(tmp_path / "out", lake=uri(free_port())), env={**ACCOUNT, "SPUNA_STORE_RETRIES": "5"})
    time.sleep(1)
    running.send(signal.SIGINT)
    result = running.wait(BOUND)
    assert result.code in (6, 130)
    assert "FinalizeS3" not in result.err


def test_a_server_that_is_not_there_may_come_back(sample, tmp_path):
    port = free_port()
    result = score(sample, tmp_path / "out", port, expect=6)
    assert "s3://data/lake" in result.err or "data/lake" in result.err


FAULTS = {
    "drops every connection after 20,000 bytes": {"drop_after": 20_000},
    "drops every third connection at once": {"drop_after": 0, "drop_every": 3},
    "drops in the middle of files": {"drop_after": 5000, "drop_every": 2, "only": b".parquet"},
    "is slow": {"delay": 0.2},
    "is busy every third time": {"busy_every": 3},
    "is busy and drops": {"busy_every": 4, "drop_after": 30_000, "drop_every": 2},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_network_is_survived_or_told(sample, proxy, tmp_path, fault):
    for name, value in FAULTS[fault].items():
        setattr(proxy, name, value)
    out = tmp_path / "out"
    result = score(sample, out, proxy.port, expect=None)
    assert proxy.faults_seen > 0
    if result.code == 0:
        check_finished(out, sample.scored_bytes)
    else:
        assert result.code == 6, result
        assert "spuna: error: " in result.err
        assert "lake" in result.err  # which file, or the lake if it could not even be listed
        found = parquet_bytes(out) if out.exists() else {}
        assert all(data == sample.scored_bytes[name] for name, data in found.items())
        assert not (out / "_SUCCESS").exists()
    proxy.heal()
    score(sample, out, proxy.port)
    check_finished(out, sample.scored_bytes)
    assert hidden_files(tmp_path) == []


def test_slow_and_busy_stores_are_waited_for(sample, proxy, tmp_path):
    """Answers of 503 and delays are what retries are for: these must not fail."""
    proxy.busy_every, proxy.delay = 5, 0.05
    score(sample, tmp_path / "out", proxy.port)
    assert proxy.faults_seen > 3
    check_finished(tmp_path / "out", sample.scored_bytes)


def test_a_silent_store_does_not_hang_the_run(sample, proxy, tmp_path):
    proxy.silent, proxy.only = True, b".parquet"
    result = score(sample, tmp_path / "out", proxy.port, expect=6)
    assert ".parquet" in result.err
    assert result.seconds < BOUND
    proxy.heal()
    score(sample, tmp_path / "out", proxy.port)
    check_finished(tmp_path / "out", sample.scored_bytes)


def test_a_store_that_goes_away_and_comes_back(sample, proxy, tmp_path):
    """Some files are finished before every connection fails; they stay, and the rest follows."""
    proxy.drop_after, proxy.only = 60_000, b".parquet"
    out = tmp_path / "out"
    score(sample, out, proxy.port, "--threads", 1, expect=None)
    before = {name: path.stat().st_ino for name, path in parquet_files(out).items()} if out.exists() else {}
    proxy.heal()
    score(sample, out, proxy.port, "--threads", 1)
    check_finished(out, sample.scored_bytes)
    assert {name: (out / name).stat().st_ino for name in before} == before


WITHHELD = "day=1/part-004.parquet"
FAILURES_THAT_PASS = {
    "drops": {"drop_after": 0},
    "is busy": {"busy_every": 1},
}


@pytest.mark.parametrize("fault", FAILURES_THAT_PASS)
def test_a_file_that_the_network_withholds_is_never_skipped(sample, proxy, tmp_path, fault):
    """Its rows are there: a run without them must not look complete."""
    for name, value in FAILURES_THAT_PASS[fault].items():
        setattr(proxy, name, value)
    proxy.only = b"part-004.parquet"
    out = tmp_path / "out"
    result = score(sample, out, proxy.port, "--on-bad-file", "skip", expect=6)
    assert proxy.faults_seen > 0
    assert WITHHELD in result.err
    assert "run again later" in result.err
    assert not (out / "_SUCCESS").exists()
    proxy.heal()
    score(sample, out, proxy.port, "--on-bad-file", "skip")
    check_finished(out, sample.scored_bytes)


def test_a_store_that_is_busy_for_a_while(sample, proxy, tmp_path):
    proxy.busy_first = 5
    score(sample, tmp_path / "out", proxy.port, "--on-bad-file", "skip")
    assert proxy.faults_seen == 5
    check_finished(tmp_path / "out", sample.scored_bytes)


def test_a_file_that_may_not_be_read(sample, proxy, tmp_path):
    proxy.forbids, proxy.only = True, b"part-004.parquet"
    result = score(sample, tmp_path / "error", proxy.port, expect=1)
    assert WITHHELD in result.err
    assert "ACCESS_DENIED" in result.err
    out = tmp_path / "out"
    skipped = score(sample, out, proxy.port, "--on-bad-file", "skip", "--json", expect=4).json["skipped"]
    assert [(entry["path"], entry["kind"]) for entry in skipped] == [(WITHHELD, "not allowed")]
    assert manifest(out)["skipped"] == skipped
    check_finished(out, {other: data for other, data in sample.scored_bytes.items() if other != WITHHELD})


def test_a_store_that_may_not_be_listed(sample, proxy, tmp_path):
    proxy.forbids = True
    result = score(sample, tmp_path / "out", proxy.port, "--on-bad-file", "skip", expect=1)
    assert "ACCESS_DENIED" in result.err
