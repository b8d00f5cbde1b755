"""Runs the blocks of docs/scale.md that need no cluster."""

import pyarrow as pa
import pytest
from scale_blocks import BLOCKS, blocks_with, check_block, run_block


def test_every_block_is_run_somewhere():
    assert len(BLOCKS) == sum(
        len(blocks_with(word, count))
        for word, count in (("duckdb", 1), ("polars", 1), ("spuna.spark", 3), ("spuna.ray", 1))
    )


@pytest.mark.parametrize("tool", ["duckdb", "polars"])
def test_block(tool, in_sample, by_command):
    (block,) = blocks_with(f"import {tool}", 1)
    result = pa.table(run_block(block))
    assert (in_sample / "sampled.safetensors").exists()
    check_block(result, in_sample, by_command)
