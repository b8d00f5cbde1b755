"""The Python blocks of docs/scale.md, and what their results must be."""

import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from conftest import ROOT, check_same, run_command

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "scale.md").read_text(), re.DOTALL)


def blocks_with(word, count):
    """The blocks with this word, which are as many as they should be."""
    found = [block for block in BLOCKS if word in block]
    assert len(found) == count
    return found


def run_block(block, folder=None, **names):
    """What a block calls `result`. Processes of a cluster run elsewhere, so `folder` goes into its paths."""
    if folder is not None:
        block = re.sub(r'"(\w+\.(parquet|safetensors))"', rf'"{folder}/\1"', block)
    exec(block, names)
    return names["result"]


def check_block(found, folder, by_command):
    """Rows as the command scores them, with the model that the block left, if it fitted one."""
    expected = by_command
    fitted = [name for name in ("sampled.safetensors", "cleaned.safetensors") if (folder / name).exists()]
    if fitted:
        run_command("score", "--model", folder / fitted[0], "--input", folder / "pool.parquet",
                    "--out", folder / "expected.parquet")
        expected = pq.read_table(folder / "expected.parquet")
    if found.num_rows < expected.num_rows:
        expected = expected.filter(pc.field("spuna_keep"))
    assert found.num_rows > 500
    found = pa.table({name: found[name] for name in ("id", "spuna_score", "spuna_keep")})
    found = found.set_column(0, "id", found["id"].cast(pa.string()))
    check_same(found.sort_by("id"), expected.sort_by("id"))
