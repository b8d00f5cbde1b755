"""Every way to name the files of a lake reads the same files."""

import pytest
from support import parquet_bytes, parquet_files, run, write_file

# Nothing is asked twice, and nobody is asked for credentials.
NO_NETWORK = {
    "SPUNA_STORE_RETRIES": "0",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
    "AWS_DEFAULT_REGION": "us-east-1",
}


def by_name(found):
    """Files by their last name alone: what comes before depends on how they were named."""
    return {name.rpartition("/")[2]: data for name, data in found.items()}


def chosen(sample, *names):
    return {name: data for name, data in by_name(sample.scored_bytes).items() if name in names}


@pytest.mark.parametrize(
    "pattern, numbers",
    [
        ("**/*.parquet", range(6)),
        ("day=*/part-*.parquet", range(6)),
        ("day=1/*.parquet", (1, 4)),
        ("day=?/part-00[0-2].parquet", (0, 1, 2)),
        ("**/part-00[!0-4].parquet", (5,)),
        ("*/part-0?3.parquet", (3,)),
    ],
)
def test_globs_choose_files(sample, tmp_path, pattern, numbers):
    run(*sample.score(tmp_path / "out", lake=sample.lake / pattern))
    names = [f"part-{number:03}.parquet" for number in numbers]
    out = tmp_path / "out"
    # One file may come out as a file or as a directory of one.
    found = {names[0]: out.read_bytes()} if out.is_file() else by_name(parquet_bytes(out))
    assert found == chosen(sample, *names)


def test_a_star_does_not_cross_directories(sample, tmp_path):
    result = run(*sample.score(tmp_path / "out", lake=sample.lake / "*.parquet"), expect=5)
    assert "*.parquet" in result.err
    assert not (tmp_path / "out").exists()


def test_two_stars_reach_any_depth(sample, tmp_path):
    write_file(tmp_path / "deep/top.parquet", 50, 7)
    write_file(tmp_path / "deep/a/b/c/low.parquet", 50, 8)
    write_file(tmp_path / "deep/a/.hidden/not.parquet", 50, 9)
    run(*sample.score(tmp_path / "out", lake=tmp_path / "deep/**/*.parquet"))
    assert sorted(parquet_files(tmp_path / "out")) == ["a/b/c/low.parquet", "top.parquet"]


def test_a_list_of_paths(sample, tmp_path):
    files = list(parquet_files(sample.lake).values())
    (tmp_path / "paths.txt").write_text("".join(f"{path}\n" for path in reversed(files)) + "\n")
    run(*sample.score(tmp_path / "out", lake=f"@{tmp_path / 'paths.txt'}"))
    assert parquet_bytes(tmp_path / "out") == sample.scored_bytes


def test_a_list_names_what_is_missing(sample, tmp_path):
    (tmp_path / "paths.txt").write_text(f"{sample.lake}/day=0/part-000.parquet\n{sample.lake}/none.parquet\n")
    result = run(*sample.score(tmp_path / "out", lake=f"@{tmp_path / 'paths.txt'}"), expect=1)
    assert "none.parquet" in result.err
    (tmp_path / "paths.txt").write_text(f"{sample.lake}/none.parquet\n")
    result = run(*sample.score(tmp_path / "out", lake=f"@{tmp_path / 'paths.txt'}"), expect=5)
    assert "none.parquet" in result.err
    (tmp_path / "paths.txt").write_text("")
    result = run(*sample.score(tmp_path / "out", lake=f"@{tmp_path / 'paths.txt'}"), expect=5)
    assert "paths.txt" in result.err
    result = run(*sample.score(tmp_path / "out", lake=f"@{tmp_path / 'no.txt'}"), expect=1)
    assert "no.txt" in result.err


@pytest.mark.parametrize("form", ["file://{}", "{}/", "{}/../lake"])
def test_other_names_of_the_directory(sample, tmp_path, form):
    run(*sample.score(tmp_path / "out", lake=form.format(sample.lake)))
    assert parquet_bytes(tmp_path / "out") == sample.scored_bytes


def test_several_paths_keep_their_places(sample, tmp_path):
    arguments = sample.score(tmp_path / "out", lake=sample.lake / "day=0")
    place = arguments.index("--out")
    run(*arguments[:place], sample.lake / "day=2", *arguments[place:])
    expected = {name: data for name, data in sample.scored_bytes.items() if not name.startswith("day=1")}
    assert parquet_bytes(tmp_path / "out") == expected


def test_the_pool_may_be_a_glob_and_the_trusted_rows_a_list(sample, tmp_path):
    (tmp_path / "trusted.txt").write_text(f"{sample.trusted}\n")
    run(
        "fit", "--trusted", f"@{tmp_path / 'trusted.txt'}", "--pool", sample.lake / "**/*.parquet",
        "--model", tmp_path / "m.safetensors",
    )  # fmt: skip
    assert (tmp_path / "m.safetensors").read_bytes() == sample.model.read_bytes()


@pytest.mark.parametrize("uri", ["nosuch://bucket/lake", "s3://", "file:///no/such/lake"])
def test_a_wrong_uri_is_named(sample, tmp_path, uri):
    result = run(*sample.score(tmp_path / "out", lake=uri), expect=None, timeout=30)
    assert result.code in (1, 2, 5)
    assert uri.removeprefix("file://") in result.err
    assert not (tmp_path / "out").exists()


def groups(result):
    """The counted groups of a clean, by column and value."""
    return {(name, row["value"]) for name, rows in result.json["groups"].items() for row in rows}


def test_hive_keys_belong_to_a_path_however_many_are_given(sample, tmp_path):
    one = run(*sample.clean(tmp_path / "one", "--group-by", "day", "--json", lake=sample.lake / "day=1"))
    assert groups(one) == {("day", "1")}
    single = sample.lake / "day=1/part-001.parquet"
    assert groups(run(*sample.clean(tmp_path / "a.parquet", "--group-by", "day", "--json", lake=single))) == {
        ("day", "1")
    }
    # The layout is still that below the path.
    assert sorted(parquet_files(tmp_path / "one")) == ["part-001.parquet", "part-004.parquet"]


@pytest.mark.parametrize("sign", ["_delta_log/00000000000000000000.json", "metadata/v1.metadata.json"])
def test_a_table_is_not_read_raw(sample, tmp_path, sign):
    table = tmp_path / "lake/table"
    live = write_file(table / "data/day=1/live.parquet", 50, 7)
    write_file(table / "data/day=1/deleted.parquet", 50, 8)
    write_file(tmp_path / "lake/plain.parquet", 50, 9)
    (table / sign).parent.mkdir()
    (table / sign).write_text("{}")
    ways = [table, table / "data/day=1", tmp_path / "lake", table / "**/*.parquet", table / "data/*/live.parquet"]
    for way in ways:
        result = run(*sample.score(tmp_path / "out", lake=way), expect=1)
        assert str(table) in result.err and "would come back" in result.err
        assert "`--input @files.txt`" in result.err and "docs/lake.md" in result.err
        assert not (tmp_path / "out").exists()
    assert "`--pool @files.txt`" in run(*sample.clean(tmp_path / "out", lake=table), expect=1).err
    (tmp_path / "files.txt").write_text(f"{live}\n")
    run(*sample.score(tmp_path / "out", lake=f"@{tmp_path / 'files.txt'}"))
    assert sorted(parquet_files(tmp_path / "out")) == ["live.parquet"]
    run(*sample.score(tmp_path / "one.parquet", lake=live))


def test_files_of_any_name(sample, tmp_path):
    """Named themselves they are read; in directories and patterns with --all-files."""
    lake = tmp_path / "lake"
    write_file(lake / "day=1/part-0", 60, 7)
    write_file(lake / "day=2/part-1.gz", 60, 8)
    (lake / "_SUCCESS").write_text("")
    (lake / ".crc").write_text("no Parquet")
    run(*sample.score(tmp_path / "one", lake=lake / "day=1/part-0"))
    (tmp_path / "list").write_text(f"{lake}/day=1/part-0\n")
    run(*sample.score(tmp_path / "listed", lake=f"@{tmp_path / 'list'}"))
    assert (tmp_path / "listed/part-0").read_bytes() == (tmp_path / "one").read_bytes()
    result = run(*sample.score(tmp_path / "out", lake=lake), expect=5)
    assert "such as day=1/part-0, add `--all-files`" in result.err
    for number, pool in enumerate([lake, lake / "**/part-*"]):
        out = tmp_path / f"out-{number}"
        run(*sample.score(out, "--all-files", lake=pool))
        assert (out / "day=1/part-0").read_bytes() == (tmp_path / "one").read_bytes()
        assert (out / "day=2/part-1.gz").exists()
    run(*sample.fit(tmp_path / "m", "--all-files", lake=lake))
    run(*sample.clean(tmp_path / "cleaned", "--all-files", lake=lake))
    scored = tmp_path / "out-0"
    (scored / "spuna_manifest.json").unlink(missing_ok=True)
    run("evaluate", "--input", scored, "--truth", "shifted", "--all-files")
    run("monitor", "--model", sample.model, "--input", lake, "--all-files", expect=None)


def test_a_base_fixes_the_layout(sample, tmp_path):
    for number, pool in enumerate(["day=1", "day=1/*.parquet", "day=1/part-001.parquet"]):
        for base in (sample.lake, f"file://{sample.lake}/"):
            out = tmp_path / f"out-{number}-{base != sample.lake}"
            run(*sample.score(out, "--base", base, lake=sample.lake / pool))
            found = parquet_bytes(out)
            assert "day=1/part-001.parquet" in found
            assert found == {name: sample.scored_bytes[name] for name in found}
    run(*sample.clean(tmp_path / "clean", "--base", sample.lake.parent, lake=sample.lake / "day=2"))
    assert sorted(parquet_files(tmp_path / "clean")) == [f"lake/day=2/part-00{n}.parquet" for n in (2, 5)]
    result = run(*sample.score(tmp_path / "no", "--base", sample.lake / "day=2"), expect=1)
    assert "day=0/part-000.parquet" in result.err and f"{sample.lake}/day=2" in result.err


def test_a_slash_makes_a_directory(sample, tmp_path):
    one = sample.lake / "day=1/part-001.parquet"
    expected = {"part-001.parquet": sample.scored_bytes["day=1/part-001.parquet"]}
    run(*sample.score(f"{tmp_path}/scored/", lake=one))
    assert parquet_bytes(tmp_path / "scored") == expected
    run(*sample.clean(f"{tmp_path}/kept/", "--drop", "--dropped", f"{tmp_path}/dropped/", lake=one))
    assert sorted(parquet_files(tmp_path / "kept")) == sorted(parquet_files(tmp_path / "dropped")) == [one.name]
    for out, dropped in (("a/", "b"), ("a", "b/")):
        arguments = sample.score(f"{tmp_path}/{out}", "--drop", "--dropped", f"{tmp_path}/{dropped}", lake=one)
        result = run(*arguments, expect=1)
        assert f"`dropped`: {tmp_path}/{dropped}: expected a " in result.err
        assert not (tmp_path / "a").exists() and not (tmp_path / "b").exists()
    # The directory itself is made, what it is to lie in is not.
    assert "create it first" in run(*sample.score(f"{tmp_path}/none/out/", lake=one), expect=1).err


def test_a_file_uri_is_a_path_everywhere(sample, tmp_path):
    place = tmp_path / "a place"
    place.mkdir()

    def uri(name, host=""):
        return f"file://{host}{tmp_path}/a%20place/{name}"

    trusted, lake = f"file://{sample.trusted}", f"file://localhost{sample.lake}"
    (place / "options.toml").write_text(f'trusted = "{trusted}"\npool = ["{lake}"]\nlabels = "{uri("labels")}"\n')
    run(
        "clean", "--config", uri("options.toml"), "--out", uri("kept"), "--drop", "--dropped", uri("dropped"),
        "--model", uri("model", "localhost"), "--reasons", uri("reasons"), "--report", uri("report.html"),
        "--base", f"file://{sample.lake}",
    )  # fmt: skip
    written = {"options.toml", "kept", "dropped", "model", "reasons", "report.html", "labels"}
    assert {path.name for path in place.iterdir() if path.suffix != ".spuna"} == written
    run("inspect", uri("model"))
    run(
        "monitor", "--model", uri("model"), "--input", lake, "--state", uri("state"), "--metrics", uri("metrics"),
        "--report", uri("history.html"), expect=None,
    )  # fmt: skip
    assert all((place / name).is_file() for name in ("state", "metrics", "history.html"))
    run("score", "--model", uri("model"), "--input", lake, "--out", uri("scored"))
    (place / "scored/spuna_manifest.json").unlink(missing_ok=True)
    run("evaluate", "--input", uri("scored"), "--truth", "shifted")
    for arguments in (["--out", "file://server/x"], ["--out", "x", "--dropped", "file://"]):
        result = run("score", "--model", "m", "--input", "x", *arguments, expect=2)
        assert "expected a" in result.err and "file://" in result.err


SECRET = "hushhush"
URIS = [
    f"s3://KEY:{SECRET}@bucket/x",
    f"s3://KEY:a/{SECRET}@bucket/x",
    f"s3://KEY:{SECRET}%2Fmore@bucket/x?endpoint_override=127.0.0.1:1&scheme=http",
    f"s3://bucket/x?access_key=A&secret_key={SECRET}&session_token={SECRET}&endpoint_override=127.0.0.1:1",
    f"s3://bucket/x?{SECRET}",
    f"s3://bucket/x?nosuch_option={SECRET}&region={SECRET}",
    f"s3://bucket:{SECRET}",
    f"gs://user:{SECRET}@bucket/x?nosuch={SECRET}",
    f"abfs://container:{SECRET}@account.dfs.core.windows.net/x?nosuch={SECRET}",
    f"ftp://user:{SECRET}@host/x?token={SECRET}",
    f"file://user:{SECRET}@host/x?token={SECRET}",
]


@pytest.mark.parametrize("uri", URIS)
def test_secrets_are_never_printed(sample, tmp_path, uri):
    (tmp_path / "list").write_text(f"{uri}\n")
    (tmp_path / "pool.toml").write_text(f'pool = "{uri}"\n')
    (tmp_path / "out.toml").write_text(f'out = "{uri}"\nalpha = "{uri}"\n')
    (tmp_path / "broken.toml").write_text(f"pool = {uri}\n")
    out, fit = tmp_path / "out", ["fit", "--trusted", sample.trusted]
    commands = [
        sample.score(uri),
        sample.score(out, lake=uri),
        sample.score(out, lake=f"{uri}*/*.parquet"),
        sample.score(out, lake=f"@{uri}"),
        sample.score(out, lake=f"@{tmp_path / 'list'}"),
        sample.score(out, "--drop", "--dropped", uri),
        sample.score(out, "--base", uri),
        sample.score(out, "--threads", uri),
        sample.score(out, "--config", uri),
        [*sample.score(out), uri, "--embedding", "embedding", "--nosuch", uri],
        ["score", "--model", uri, "--input", sample.lake, "--out", out],
        [*fit, "--pool", sample.lake, "--model", uri],
        [*fit, "--pool", uri, "--model", out],
        [*fit, "--pool", sample.lake, "--model", out, "--labels", uri],
        ["fit", "--trusted", uri, "--pool", sample.lake, "--model", out],
        [*fit, "--model", out, "--config", tmp_path / "pool.toml"],
        sample.clean(uri, "--json"),
        sample.clean(out, lake=uri),
        sample.clean(out, "--report", uri),
        sample.clean(out, "--reasons", uri),
        ["plan", *sample.clean(uri)],
        ["plan", *sample.clean(out, lake=uri)],
        ["clean", "--trusted", sample.trusted, "--pool", sample.lake, "--config", tmp_path / "out.toml"],
        sample.clean(out, "--config", tmp_path / "broken.toml"),
        ["evaluate", "--input", uri, "--truth", "shifted"],
        ["monitor", "--model", sample.model, "--input", uri],
        ["monitor", "--model", sample.model, "--input", sample.lake, "--state", uri],
        ["monitor", "--model", sample.model, "--input", sample.lake, "--metrics", uri],
        ["inspect", uri],
        [uri],
    ]  # fmt: skip
    for arguments in commands:
        result = run(*arguments, expect=None, env=NO_NETWORK, timeout=60)
        assert result.code in (1, 2, 5, 6), f"{arguments}\n{result}"
        assert SECRET not in result.out + result.err, arguments
    assert not out.exists()


def test_plan_is_in_the_help():
    text = run("--help").out
    assert "plan" in [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.split()]
    assert "--dry-run" in text
    assert "plan" in run("nosuch", expect=2).err
