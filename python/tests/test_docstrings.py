"""Runs the examples in the docstrings."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["spuna", "spuna._api", "spuna._sklearn"])
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
    assert results.attempted > 3
