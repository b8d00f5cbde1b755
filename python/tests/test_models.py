import os
import pickle

import numpy as np
import pytest

import spuna


def test_models_are_saved_loaded_pickled_and_described(tmp_path, quick):
    options, trusted, pool = quick
    model = spuna.fit(trusted, pool, seed=np.int64(7), **options)
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(OSError, match="exists"):
        model.save(tmp_path / "model.safetensors")
    model.save(tmp_path / "model.safetensors", overwrite=True)
    for other in (spuna.Model.load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(model))):
        assert other.to_bytes() == model.to_bytes()
    report = model.report()
    assert report["options"]["seed"] == 7
    assert report["fit"]["rows_pool"] == 400
    assert (model.dimension, model.threshold) == (6, 0.5)


def test_paths_need_not_be_text(sample, model, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.safetensors"
    model.save(path)
    assert spuna.Model.load(path).to_bytes() == model.to_bytes()
