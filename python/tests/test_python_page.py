"""Runs every example of docs/python.md, in its order, and compares what it prints."""

import doctest
import re
import warnings

from conftest import ROOT


def test_the_page(in_sample, sample, monkeypatch):
    (in_sample / "model.safetensors").unlink()
    (in_sample / "test.parquet").symlink_to(sample / "test.parquet")
    page = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```pycon\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 8
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with warnings.catch_warnings():
        results = runner.run(test, out=told.append)
    assert results.failed == 0, "".join(told)
    assert results.attempted > 35
    for name in ("report.html", "look.html", "model.safetensors", "watch.json"):
        assert (in_sample / name).stat().st_size > 0
    assert not (in_sample / "out.parquet").exists()
