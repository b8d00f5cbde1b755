"""Every way to name the files of a lake reads the same files."""

import pytest
from support import parquet_bytes, parquet_files, run, write_file


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
