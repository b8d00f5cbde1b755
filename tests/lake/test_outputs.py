"""What is written: one file for each, as it was, a manifest that adds up, and `_SUCCESS` last."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from support import (
    check_finished,
    column,
    hidden_files,
    ids,
    make_lake,
    make_rows,
    make_table,
    manifest,
    parquet_bytes,
    parquet_files,
    run,
)

COUNTS = {
    "rows_in", "rows_out", "rows_kept", "rows_dropped", "rows_invalid", "bytes_in", "bytes_out",
}  # fmt: skip


def check_manifest(out, lake, command):
    """The manifest against the files it speaks of. Returns it."""
    found = manifest(out)
    for key in (
        "command", "configuration", "configuration_hash", "model_hash", "versions", "total", "files",
        "skipped", "seconds", "finished_at",
    ):  # fmt: skip
        assert key in found, key
    assert found["command"] == command
    inputs, outputs = parquet_files(lake), parquet_files(out)
    assert sorted(found["files"]) == sorted(inputs) == sorted(outputs)
    for name, counts in found["files"].items():
        assert COUNTS <= set(counts), name
        assert counts["bytes_in"] == inputs[name].stat().st_size
        assert counts["bytes_out"] == outputs[name].stat().st_size
        assert counts["rows_in"] == pq.ParquetFile(inputs[name]).metadata.num_rows
        assert counts["rows_out"] == pq.ParquetFile(outputs[name]).metadata.num_rows
    assert found["total"]["files"] == len(inputs)
    for key in COUNTS:
        assert found["total"][key] == sum(counts[key] for counts in found["files"].values()), key
    return found


@pytest.fixture(scope="module")
def spotted(tmp_path_factory):
    """A lake in which each file begins with six invalid rows."""
    return make_lake(tmp_path_factory.mktemp("spotted") / "lake", invalid=6)


def test_files_come_out_as_they_were(sample):
    for name, path in parquet_files(sample.lake).items():
        before, after = pq.ParquetFile(path), pq.ParquetFile(sample.scored / name)
        width = before.metadata.num_columns
        assert after.schema_arrow.names == [*before.schema_arrow.names, "spuna_score", "spuna_keep"]
        assert after.schema_arrow.metadata == before.schema_arrow.metadata
        for field in before.schema_arrow:
            assert after.schema_arrow.field(field.name).equals(field, check_metadata=True)
        groups = range(before.num_row_groups)
        assert after.num_row_groups == before.num_row_groups
        for group in groups:
            old, new = before.metadata.row_group(group), after.metadata.row_group(group)
            assert new.num_rows == old.num_rows
            assert [new.column(i).compression for i in range(width)] == [
                old.column(i).compression for i in range(width)
            ]
        assert after.read(columns=before.schema_arrow.names).equals(before.read())


def test_the_manifest_adds_up(sample, spotted, tmp_path):
    run(*sample.score(tmp_path / "out", lake=spotted))
    found = check_manifest(tmp_path / "out", spotted, "score")
    kept = [keep for path in parquet_files(tmp_path / "out").values() for keep in column(path, "spuna_keep")]
    assert found["total"]["rows_kept"] == kept.count(True) > 0
    assert found["total"]["rows_dropped"] == kept.count(False) > 0
    assert found["total"]["rows_invalid"] == kept.count(None) == 36
    assert found["total"]["rows_out"] == found["total"]["rows_in"] == len(kept)
    assert found["skipped"] == []


def test_success_comes_last(sample):
    last = (sample.scored / "_SUCCESS").stat().st_mtime_ns
    assert all(path.stat().st_mtime_ns <= last for path in sample.scored.rglob("*") if path.is_file())
    assert hidden_files(sample.scored) == []


def test_the_hash_of_the_configuration_tells_runs_apart(sample, tmp_path):
    run(*sample.score(tmp_path / "same", "--threads", 1))
    run(*sample.score(tmp_path / "other", "--prefix", "other_"))
    reference, same, other = (manifest(path) for path in (sample.scored, tmp_path / "same", tmp_path / "other"))
    assert same["configuration_hash"] == reference["configuration_hash"] != other["configuration_hash"]
    assert same["model_hash"] == other["model_hash"] == reference["model_hash"]


@pytest.mark.parametrize("invalid", ["null", "drop"])
@pytest.mark.parametrize("command", ["score", "clean"])
def test_dropped_rows_go_elsewhere(sample, spotted, tmp_path, command, invalid):
    arguments = getattr(sample, command)(tmp_path / "out", lake=spotted)
    run(*arguments, "--drop", "--dropped", tmp_path / "gone", "--invalid", invalid)
    found = check_manifest(tmp_path / "out", spotted, command)["total"]
    kept, gone, all_ids = ids(tmp_path / "out"), ids(tmp_path / "gone"), ids(spotted)
    assert len(kept) > 100 and len(gone) > 100
    # Every row is in one place, but invalid ones that were asked to be left out.
    nowhere = set(all_ids) - set(kept) - set(gone)
    invalid_ids = {name for name in all_ids if int(name[-6:]) < 6}
    assert nowhere == (invalid_ids if invalid == "drop" else set())
    assert not invalid_ids & set(kept)
    assert len(kept) + len(gone) + len(nowhere) == len(all_ids)
    assert found["rows_in"] == len(all_ids)
    assert found["rows_out"] == len(kept)
    assert found["rows_invalid"] == len(invalid_ids)
    # The same layout, schema and order on both sides; each row where its score says.
    assert sorted(parquet_files(tmp_path / "gone")) == sorted(parquet_files(spotted))
    assert kept == [name for name in all_ids if name in set(kept)]
    assert gone == [name for name in all_ids if name in set(gone)]
    for side, is_kept in (("out", True), ("gone", False)):
        for name, path in parquet_files(tmp_path / side).items():
            has_invalid = side == "gone" and invalid == "null"
            assert set(column(path, "spuna_keep")) == ({is_kept, None} if has_invalid else {is_kept})
            assert column(path, "spuna_score").count(None) == (6 if has_invalid else 0)
            original = pq.ParquetFile(parquet_files(spotted)[name]).schema_arrow
            schema = pq.ParquetFile(path).schema_arrow
            assert schema.metadata == original.metadata
            assert schema.names[: len(original.names)] == original.names


def test_dropped_without_drop_is_refused(sample, tmp_path):
    result = run(*sample.score(tmp_path / "out", "--dropped", tmp_path / "gone"), expect=2)
    assert "`drop`" in result.err or "--drop" in result.err


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A model and 196,608 rows of 768 dimensions, 604 MB, in one row group and in many."""
    folder = tmp_path_factory.mktemp("wide")
    for name, count, share in (("trusted", 300, 0.0), ("pool", 600, 0.5)):
        rows, shifted = make_rows(count, len(name), share, 768)
        pq.write_table(make_table(rows, shifted, name), folder / f"{name}.parquet")
    run(
        "fit", "--trusted", folder / "trusted.parquet", "--pool", folder / "pool.parquet",
        "--model", folder / "m.safetensors", "--recipe", "paper", "--alpha", 20, "--k", 20, "--epochs", 3,
    )  # fmt: skip
    rows, shifted = make_rows(16_384, 3, 0.5, 768)
    table = make_table(np.tile(rows, (12, 1)), np.tile(shifted, 12), "wide")
    pq.write_table(table, folder / "one.parquet", row_group_size=1 << 20, compression="none", use_dictionary=False)
    pq.write_table(
        table.slice(0, 16_384), folder / "first.parquet", row_group_size=2048, compression="none", use_dictionary=False
    )
    assert pq.ParquetFile(folder / "one.parquet").num_row_groups == 1
    yield folder
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.parametrize("drop", [(), ("--drop",)])
def test_a_row_group_larger_than_memory_is_read_in_slices(wide, drop):
    def score(name):
        out = wide / f"scored-{name}"
        arguments = ["score", "--model", wide / "m.safetensors", "--input", wide / name, "--out", out, *drop]
        return out, run(*arguments, "--threads", 2, "--json", "--overwrite").json

    out, report = score("one.parquet")
    first, _ = score("first.parquet")
    assert report["peak_memory_bytes"] < 600e6
    assert report["rows_in"] == 12 * 16_384
    scores = pq.ParquetFile(out).read(columns=["id", "spuna_score"])
    expected = pq.ParquetFile(first).read(columns=["id", "spuna_score"])
    assert len(scores) == 12 * len(expected)  # the rows repeat
    for part in (0, 11):
        found = scores.slice(part * len(expected), len(expected))
        assert found["spuna_score"].to_pylist() == expected["spuna_score"].to_pylist()
    assert scores["id"].slice(0, len(expected)).to_pylist() == expected["id"].to_pylist()
    out.unlink()
    first.unlink()


def test_the_single_file_of_a_directory_has_a_manifest_too(sample, tmp_path):
    run(*sample.score(tmp_path / "out", lake=sample.lake / "day=0"))
    expected = {
        name.removeprefix("day=0/"): data for name, data in sample.scored_bytes.items() if name.startswith("day=0/")
    }
    check_finished(tmp_path / "out", expected)


def test_paths_with_strange_names_survive(sample, tmp_path):
    source = next(iter(parquet_files(sample.lake).values()))
    for name in ("with space", "ünïcode", "per%20cent", "quote'\"", "semi;colon&amp"):
        path = tmp_path / "lake" / f"k={name}" / f"{name}.parquet"
        path.parent.mkdir(parents=True)
        path.write_bytes(source.read_bytes())
    run(*sample.score(tmp_path / "out", lake=tmp_path / "lake"))
    check_manifest(tmp_path / "out", tmp_path / "lake", "score")
    assert len(set(parquet_bytes(tmp_path / "out").values())) == 1


def page_data(page):
    """What a report page is made of."""
    text = page.read_text()
    begin = text.index('id="report-data">') + len('id="report-data">')
    return json.loads(text[begin : text.index("</script", begin)])


@pytest.fixture(scope="module")
def explained(sample, spotted, tmp_path_factory):
    """A clean of the lake with groups and reasons, and scoring it with the clean's model."""
    folder = tmp_path_factory.mktemp("explained")
    model, reports = folder / "model.safetensors", {}
    for command in ("clean", "score"):
        arguments = getattr(sample, command)(folder / command, "--group-by", "day,shifted", lake=spotted)
        arguments += ["--reasons", folder / f"{command}.parquet", "--report", folder / f"{command}.html"]
        if command == "clean":
            arguments += ["--model", model]
        else:
            arguments[arguments.index("--model") + 1] = model
        reports[command] = run(*arguments, "--truth", "shifted", "--json").json
    return folder, reports


def test_scoring_explains_what_the_clean_of_its_model_did(explained):
    folder, reports = explained
    assert reports["score"]["groups"] == reports["clean"]["groups"]
    assert set(reports["score"]["groups"]) == {"day", "shifted"}
    assert reports["score"]["rows_dropped"] == reports["clean"]["rows_dropped"] > 0
    clean, score = (pq.ParquetFile(folder / f"{command}.parquet").read() for command in ("clean", "score"))
    assert score.schema == clean.schema
    assert len(score) == reports["score"]["rows_dropped"]
    of_fit = {name for name in score.column_names if name in ("round", "kind") or name.startswith("nearest_")}
    assert len(of_fit) == 6
    for name in set(score.column_names) - of_fit:
        assert score[name].equals(clean[name]), name
    for name in of_fit:
        assert score[name].null_count == len(score), name
    assert "kinds" in reports["clean"]
    assert not {"kinds", "shift_distance", "files_explained"} & set(reports["score"])


def test_the_page_of_scoring_says_what_it_leaves_out(explained):
    folder, reports = explained
    clean, score = page_data(folder / "clean.html"), page_data(folder / "score.html")
    assert score["groups"] == clean["groups"]
    assert score["reliability"] == clean["reliability"]
    assert score["scores"]["pool"] == clean["scores"]["pool"]
    assert {"plane", "kinds"} <= set(clean)
    assert not {"plane", "kinds", "rounds", "entropy"} & set(score)
    assert "trusted" in clean["scores"] and "trusted" not in score["scores"]
    assert [line for line in score["summary"] if "fitted earlier" in line] == score["summary"][-1:]
    assert not [line for line in clean["summary"] if "fitted earlier" in line]
    assert len(score["highest"]) == 12 and clean["highest"] is None


def test_one_file_is_explained_as_its_part_of_the_lake_is(explained, sample, spotted, tmp_path):
    folder, _ = explained
    name, path = next(iter(parquet_files(spotted).items()))
    reasons = tmp_path / "reasons.parquet"
    arguments = ["score", "--model", folder / "model.safetensors", "--input", path, "--out", tmp_path / "out.parquet"]
    report = run(*arguments, "--group-by", "shifted", "--reasons", reasons, "--json").json
    whole = pq.ParquetFile(folder / "score.parquet").read().to_pylist()
    expected = [row["id"] for row in whole if row["file"] == name]
    assert column(reasons, "id") == expected != []
    assert sum(group["dropped"] for group in report["groups"]["shifted"]) == len(expected)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out.parquet", "reasons.parquet"]


def test_reasons_that_exist_are_replaced_only_if_asked(sample, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for option in ("--reasons", "--report"):
        result = run(*sample.score(tmp_path / "out", option, taken), expect=1)
        assert f"`{option[2:]}`" in result.err and str(taken) in result.err
        assert taken.read_text() == "mine" and not (tmp_path / "out").exists()
    run(*sample.score(tmp_path / "out", "--reasons", taken, "--overwrite"))
    assert len(column(taken, "id")) > 0


def test_a_group_that_no_file_has_is_named(sample, tmp_path):
    result = run(*sample.score(tmp_path / "out", "--group-by", "camera"), expect=1)
    assert "there is no column 'camera' as `group-by` says" in result.err
    assert not (tmp_path / "out").exists()
