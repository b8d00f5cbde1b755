"""The page on the model file: its code gives what spuna gives."""

import json
import pathlib
import re
import struct

import numpy as np
import pyarrow as pa
import pytest

import spuna

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "model_file.md"


def read_tensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    types = {"F32": "<f4", "F64": "<f8"}
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def test_the_code_of_the_page_scores_and_measures_as_spuna_does(tmp_path):
    code = {}
    exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], code)
    random = np.random.default_rng(0)
    trusted = random.normal(size=(400, 40)).astype("f4")
    pool = random.normal(size=(600, 40)).astype("f4")
    pool[:200] += 1
    new = np.concatenate([pool[:50], random.normal(size=(50, 40)) * 20, np.full((1, 40), 1e20)]).astype("f4")
    new[-1, 0] = -3
    model = spuna.fit(trusted, pool)
    model.save(tmp_path / "m.safetensors")
    tensors = read_tensors(tmp_path / "m.safetensors")
    told = pa.table(model.score(new, distances=True))
    assert np.allclose(code["score"](new, tensors), told["spuna_score"], atol=1e-4)
    assert np.allclose(code["distance"](new, tensors), told["spuna_distance"], rtol=1e-3)
    keeps = (code["score"](new, tensors) < 0.5) & ~code["is_far"](new, tensors)
    assert keeps.tolist() == np.asarray(told["spuna_keep"]).tolist()
    assert not keeps[50:].any()


def test_the_code_of_the_page_checks_a_file(tmp_path):
    xxhash = pytest.importorskip("xxhash")
    code = {}
    exec(re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], code)
    random = np.random.default_rng(0)
    model = spuna.fit(random.normal(size=(100, 4)).astype("f4"), random.normal(size=(100, 4)).astype("f4"))
    model.save(tmp_path / "m.safetensors")
    data = (tmp_path / "m.safetensors").read_bytes()
    said, found = code["checksum"](data)
    assert said == found
    damaged = data[:-1] + bytes([data[-1] ^ 1])
    said, found = code["checksum"](damaged)
    assert said != found
    (tmp_path / "m.safetensors").write_bytes(damaged)
    with pytest.raises(Exception, match=f"its checksum is {found} but should be {said}"):
        spuna.Model.load(tmp_path / "m.safetensors")
    assert model.report()["hash"] == xxhash.xxh3_128_hexdigest(data)
