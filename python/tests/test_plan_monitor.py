"""spuna.plan and spuna.monitor are the commands of these names."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import run_command

import spuna


def test_a_plan_is_the_commands(sample, tmp_path):
    trusted, pool, out = sample / "trusted.parquet", sample / "pool.parquet", tmp_path / "out.parquet"
    printed = run_command("plan", "--trusted", trusted, "--pool", pool, "--out", out, "--fit-rows", 1000)
    plan = spuna.plan(trusted, pool, out, fit_rows=1000)
    found = plan.to_dict()
    for key in ("seconds", "free_memory_bytes", "free_disk_bytes"):
        assert found.pop(key) is not None and printed.pop(key) is not None
    assert found == printed
    assert plan.summary().startswith("rows         1,500 of dimension 240 in 1 file")
    assert f"would write  {out} (file)" in plan.summary()
    assert repr(plan) == "<spuna.Plan: 1500 rows in 1 file>"
    assert list(tmp_path.iterdir()) == []


def test_a_plan_without_output(sample):
    plan = spuna.plan(str(sample / "trusted.parquet"), [sample / "pool.parquet"])
    assert plan.to_dict()["outputs"] == [] and "bytes_to_write" not in plan.to_dict()
    assert plan.to_dict()["seconds"]["fit"] > 0
    assert "disk" not in plan.summary() and "would write" not in plan.summary()


def test_what_a_plan_refuses(sample, tmp_path):
    trusted, pool = sample / "trusted.parquet", sample / "pool.parquet"
    with pytest.raises(TypeError, match="pool: a plan is for files: .* but found Table"):
        spuna.plan(trusted, pq.read_table(pool))
    (tmp_path / "out.parquet").touch()
    with pytest.raises(OSError, match="exists already; choose another name"):
        spuna.plan(trusted, pool, tmp_path / "out.parquet")
    assert spuna.plan(trusted, pool, tmp_path / "out.parquet", overwrite=True).to_dict()["rows"] == 1500
    with pytest.raises(ValueError, match="there is no option `fitrows`; did you mean `fit_rows`"):
        spuna.plan(trusted, pool, fitrows=3)


def test_monitor_is_the_command(sample, model, tmp_path):
    test = sample / "test.parquet"
    printed = run_monitor(sample, test, "--state", tmp_path / "c.json", "--metrics", tmp_path / "c.txt")
    seen = spuna.monitor(model, test, state=tmp_path / "p.json", metrics=tmp_path / "p.txt", report=tmp_path / "p.html")
    found = seen.to_dict()
    for key in ("seconds", "peak_memory_bytes", "time"):
        found.pop(key), printed.pop(key)
    assert found == printed
    assert (tmp_path / "p.txt").read_bytes() == (tmp_path / "c.txt").read_bytes()
    states = [json.loads((tmp_path / name).read_text()) for name in ("c.json", "p.json")]
    for state in states:
        state["history"][0].pop("time")
    assert states[0] == states[1]
    assert seen.found and seen.p_value < 1e-6
    assert "<html" in (tmp_path / "p.html").read_text()
    # A model by its path, rows as a table; the state goes on from batch to batch.
    again = spuna.monitor(sample / "model.safetensors", pq.read_table(test), state=tmp_path / "p.json")
    assert again.to_dict()["batch"] == 2
    assert repr(again).startswith("<spuna.Monitored: batch 2, 1000 rows, ")
    assert "shift detected" in repr(again)


def run_monitor(sample, data, *more):
    import os
    import subprocess

    command = [os.environ["SPUNA_PROGRAM"], "monitor", "--model", sample / "model.safetensors", "--input", data,
               "--json", "--quiet", *more]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 3, result.stderr
    return json.loads(result.stdout)


def test_batches_of_every_kind_count_the_same(sample, model):
    test = sample / "test.parquet"
    table = pq.read_table(test)
    matrix = np.stack(table["embedding"].to_numpy(zero_copy_only=False))
    kinds = (test, [test], table, table.to_reader(), matrix)
    seen = [spuna.monitor(model, kind).to_dict() for kind in kinds]
    for other in seen[1:]:
        for key in ("rows_kept", "rows_dropped", "share_shifted", "evidence", "p_value", "shift_found"):
            assert other[key] == pytest.approx(seen[0][key], rel=1e-4), key


def test_what_monitor_refuses(model, quick, tmp_path):
    options, trusted, pool = quick
    with pytest.raises(ValueError, match="expected dimension 240"):
        spuna.monitor(model, pool)
    plain = spuna.fit(trusted, pool, recipe="paper", epochs=1, k=20, threads=1)
    with pytest.raises(ValueError, match="`model`: holds nothing to watch with"):
        spuna.monitor(plain, pool)
    fitted = spuna.fit(trusted, pool, **options)
    with pytest.raises(ValueError, match="there is no option `levels`; did you mean `level`"):
        spuna.monitor(fitted, pool, levels=0.1)
    with pytest.raises(ValueError, match="`level` must be more than 0"):
        spuna.monitor(fitted, pool, level=0)
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(ValueError, match="state.json"):
        spuna.monitor(fitted, pool, state=tmp_path / "state.json")
    fitted.save(tmp_path / "m.safetensors")
    with pytest.raises(OSError, match="m.safetensors: this is what `model` names too; choose another name"):
        spuna.monitor(tmp_path / "m.safetensors", pool, report=tmp_path / "m.safetensors")
    with pytest.raises(TypeError, match="model: expected a spuna.Model or the path of one but found ndarray"):
        spuna.monitor(pool, fitted)
    with pytest.raises(TypeError, match="model: expected a spuna.Model or the path of one but found list"):
        spuna.monitor([tmp_path / "m.safetensors"], pool)
    with pytest.raises(ValueError, match="none of 2 rows has a valid embedding"):
        spuna.monitor(fitted, np.full((2, 6), np.nan))
