import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, check_same, run_command

import spuna


def embeddings(table):
    column = table["embedding"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(column), -1)


@pytest.fixture(scope="module")
def quick():
    """Quick options, trusted rows, and a pool whose odd rows are shifted."""
    rng = np.random.default_rng(1)
    trusted = rng.normal(size=(200, 6)).astype(np.float32)
    pool = rng.normal(size=(400, 6)).astype(np.float32)
    pool[1::2] += 2
    return {"epochs": 3, "alpha": 20, "k": 20, "threads": 2}, trusted, pool


def test_version():
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert f"project(spuna VERSION {spuna.__version__} " in cmake


def test_fit_gives_the_model_of_the_command(sample):
    model = spuna.fit(sample / "trusted.parquet", str(sample / "pool.parquet"))
    assert model.to_bytes() == (sample / "model.safetensors").read_bytes()


def test_clean_is_the_command(sample, by_command, pool):
    trusted = [sample / "trusted.parquet"]
    for source in (sample / "pool.parquet", pool, pool.to_reader(max_chunksize=100)):
        check_same(spuna.clean(trusted, source), by_command)


def test_the_same_batches_give_the_same_bits(sample, by_command, model):
    scored = pa.table(model.score(sample / "pool.parquet"))
    assert scored.equals(by_command)
    assert scored.schema.metadata == by_command.schema.metadata


def test_rows_can_be_read_as_often_as_their_input(sample, pool, model):
    for source in (pool, sample / "pool.parquet", embeddings(pool)):
        rows = model.score(source)
        assert pa.table(rows).equals(pa.table(rows))
    rows = model.score(pool.to_reader())
    pa.table(rows)
    with pytest.raises(ValueError, match="can be read only once; pass a table or a path"):
        pa.table(rows)
    cleaned = spuna.clean(sample / "trusted.parquet", pool.to_reader(), epochs=1)
    pa.table(cleaned)
    with pytest.raises(ValueError, match="can be read only once"):
        pa.table(cleaned)


class Once:
    """Hands out one reader, and does not show it."""

    def __init__(self, reader):
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader.__arrow_c_stream__()


def test_what_does_not_show_that_it_can_be_read_again_is_held(sample, pool, model):
    for source in (Once(pool.to_reader()), model.score(pool.to_reader(), prefix="a_")):
        cleaned = spuna.clean(sample / "trusted.parquet", source, epochs=1)
        assert pa.table(cleaned).num_rows == pool.num_rows


def test_mistakes_are_found_before_the_fit(sample, pool, model, by_command):
    def never(stage, done):
        raise AssertionError("the fit has started")

    for source, options, message in (
        (by_command, {}, "there is a column 'spuna_score' already"),
        (sample / "command.parquet", {}, "there is a column 'spuna_score' already"),
        (pool, {"drop": "yes"}, "`drop`: expected true or false"),
    ):
        with pytest.raises(ValueError, match=message):
            spuna.clean(sample / "trusted.parquet", source, progress=never, **options)
    with pytest.raises(ValueError, match="there is no option `alpha`"):
        model.score(pool, alpha=1)


def test_results_are_lazy(pool, model):
    taken = []

    def batches():
        for batch in pool.to_batches(max_chunksize=100):
            taken.append(batch.num_rows)
            yield batch

    reader = pa.RecordBatchReader.from_batches(pool.schema, batches())
    scored = pa.RecordBatchReader.from_stream(model.score(reader))
    assert taken == []
    assert scored.read_next_batch().num_rows == 100
    assert len(taken) == 1


def test_every_kind_of_data(by_command, model, pool, sample):
    matrix = embeddings(pool)
    expected = by_command["spuna_score"].to_numpy()
    column = pool["embedding"]
    for data in (
        matrix,
        matrix.astype(np.float64),
        np.asfortranarray(matrix),
        matrix[::1],
        column,
        column.combine_chunks(),
        pool.combine_chunks().to_batches()[0],
        pool.select(["embedding"]),
        [sample / "pool.parquet"],
        os.fspath(sample / "pool.parquet"),
    ):
        assert np.abs(model.scores(data) - expected).max() <= 2e-6
    assert np.abs(model.scores(matrix[::2]) - expected[::2]).max() <= 2e-6
    joined = model.scores([sample / "pool.parquet", sample / "test.parquet"])
    assert len(joined) == pool.num_rows + 1000


def through_python(table, sample, model):
    return pa.table(model.score(table))


def through_a_reader(table, sample, model):
    return pa.RecordBatchReader.from_stream(model.score(table.to_reader(max_chunksize=7))).read_all()


def through_a_pipe(table, sample, model):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    command = [os.environ["SPUNA_PROGRAM"], "score", "--model", sample / "model.safetensors",
               "--input", "-", "--out", "-", "--quiet"]
    result = subprocess.run(command, input=sink.getvalue().to_pybytes(), stdout=subprocess.PIPE, check=True)
    return pa.ipc.open_stream(result.stdout).read_all()


def through_the_nodes_function(table, sample, model):
    spuna.acero.register_model("every kind", model)
    embedding = table["embedding"]
    for name in ("spuna_score", "spuna_keep"):
        values = pc.call_function(name, [embedding, pa.scalar("every kind")])
        table = table.append_column(name, values)
    return table


DOORS = [through_python, through_a_reader, through_a_pipe, through_the_nodes_function]


@pytest.mark.parametrize("door", DOORS)
def test_columns_of_every_kind_survive(door, sample, model, pool):
    rows = 50
    matrix = embeddings(pool)[: rows + 3]
    dimension = matrix.shape[1]
    plain = pa.table(model.score(matrix[3:]))
    flat = pa.array(matrix.reshape(-1))
    fixed = pa.FixedSizeListArray.from_arrays(flat, dimension)
    tensor = pa.fixed_shape_tensor(pa.float32(), [dimension])
    kinds = {
        "fixed_size_list": fixed,
        "list": pa.array(list(matrix), pa.list_(pa.float32())),
        "large_list": pa.array(list(matrix), pa.large_list(pa.float32())),
        "float64": pa.array(list(matrix.astype(np.float64)), pa.list_(pa.float64(), dimension)),
        "float16": pa.array(list(matrix.astype(np.float16)), pa.list_(pa.float16(), dimension)),
        "tensor": pa.ExtensionArray.from_storage(tensor, fixed),
    }
    words = pa.array(["a", None, "b"] * 17 + ["c", "d"]).dictionary_encode()
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef"] * 53, pa.binary(16)))
    for name, column in kinds.items():
        field = pa.field("embedding", column.type, metadata={"made": "by hand"})
        schema = pa.schema([field, pa.field("word", words.type), pa.field("uuid", ids.type)],
                           metadata={"table": "yes"})
        table = pa.table([column, words, ids], schema=schema).slice(3)
        scored = door(table, sample, model)
        assert scored.select(["embedding", "word", "uuid"]).equals(table), name
        assert scored.schema.metadata == {b"table": b"yes"}
        # Arrow adds the name of an extension type to the field's metadata on some ways.
        assert scored.schema.field("embedding").metadata[b"made"] == b"by hand"
        scores = scored["spuna_score"].to_numpy()
        tolerance = 0.1 if name == "float16" else 2e-6
        assert np.abs(scores - plain["spuna_score"].to_numpy()).max() <= tolerance, name
        # A null among them stays null, and changes no other row.
        mask = np.zeros(len(table), bool)
        mask[11] = True
        nulled = pa.array(
            [None if i == 11 else row for i, row in enumerate(table["embedding"].to_pylist())],
            column.type.storage_type if name == "tensor" else column.type,
        )
        if name == "tensor":
            nulled = pa.ExtensionArray.from_storage(tensor, nulled)
        with_null = door(table.set_column(0, field, nulled), sample, model)
        assert with_null["spuna_keep"].is_null().to_numpy().tolist() == mask.tolist()
        assert np.array_equal(with_null["spuna_score"].to_numpy()[~mask], scores[~mask])


def test_nulls(model, pool):
    column = pool["embedding"].to_pylist()[:10]
    column[4] = None
    column[7] = [float("nan")] * len(column[0])
    table = pa.table({"id": range(10), "embedding": pa.array(column, pool["embedding"].type)})
    assert pa.table(model.score(table))["spuna_keep"].is_null().to_pylist() == [
        i in (4, 7) for i in range(10)
    ]
    assert np.isnan(model.scores(table)).nonzero()[0].tolist() == [4, 7]
    assert pa.table(model.score(table, invalid="drop"))["id"].to_pylist() == [0, 1, 2, 3, 5, 6, 8, 9]
    with pytest.raises(pa.ArrowInvalid, match="at row 4; `invalid` says that this is an error"):
        pa.table(model.score(table, invalid="error"))


def test_drop_and_prefix(model, pool, by_command):
    kept = pa.table(model.score(pool, drop=True, prefix="my_"))
    assert kept["my_keep"].to_pylist() == [True] * kept.num_rows
    assert kept.num_rows == sum(by_command["spuna_keep"].to_pylist())


def test_drop_with_columns_that_arrow_cant_filter(model, pool, by_command):
    views = pool.append_column("view", pool["id"].cast(pa.string_view()))
    kept = pa.table(model.score(views, drop=True))
    assert kept["view"].type == pa.string_view()
    assert kept["view"].to_pylist() == kept["id"].to_pylist()
    assert kept.num_rows == sum(by_command["spuna_keep"].to_pylist())


def test_scoring_by_neighbors(quick):
    options, trusted, pool = quick
    model = spuna.fit(trusted, pool, keep_banks=True, recipe="paper", **options)
    scores = model.scores(pool, by="neighbors")
    assert scores[1::2].mean() > scores[::2].mean()
    with pytest.raises(ValueError, match="this model has none"):
        spuna.fit(trusted, pool, **options).scores(pool, by="neighbors")


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


def test_evaluate_is_the_command(sample, by_command):
    found = spuna.evaluate(by_command, truth="shifted")
    assert found == run_command("evaluate", "--input", sample / "command.parquet", "--truth", "shifted")
    assert found == spuna.evaluate(sample / "command.parquet", truth="shifted")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t, p: spuna.fit(t, p, alpa=1), ValueError, "there is no option `alpa`; the options"),
        (lambda t, p: spuna.fit(t, p, k=0), ValueError, "`k` must be between 1 and"),
        (lambda t, p: spuna.fit(t, p, k="ten"), ValueError, '`k`: expected a whole number but found "ten"'),
        (lambda t, p: spuna.fit(t, p, k=object()), TypeError, "an option can't be a object"),
        (lambda t, p: spuna.fit(t, p[:, :3]), ValueError, "expected dimension 6"),
        (lambda t, p: spuna.fit(t[:0], p), ValueError, "there are no rows"),
        (lambda t, p: spuna.fit(t, 7), TypeError, "a path or a list of paths.*but found int"),
        (lambda t, p: spuna.fit(t, p[0]), ValueError, "expected a 2-d array of numbers"),
        (lambda t, p: spuna.fit(t, np.array([["a"]])), ValueError, "expected a 2-d array of numbers"),
        (lambda t, p: spuna.fit("/nowhere.parquet", p), OSError, "/nowhere.parquet"),
        (lambda t, p: spuna.fit(t, []), TypeError, "but found list"),
        (lambda t, p: spuna.fit(t, p, progress=3), TypeError, "progress: expected None, True or"),
        (lambda t, p: spuna.Model.load("/nowhere"), OSError, "/nowhere"),
        (lambda t, p: spuna.Model.from_bytes(b"no"), ValueError, "the model's bytes"),
        (lambda t, p: spuna.evaluate(pa.table({"a": [1]}), "b"), ValueError, "there is no column 'b'"),
        (lambda t, p: spuna.clean(t, p, by="neighbors"), ValueError, "there is no option `by`"),
    ],
)
def test_what_is_wrong_is_said(quick, call, error, message):
    _, trusted, pool = quick
    with pytest.raises(error, match=message):
        call(trusted, pool)


def test_an_error_of_the_input_comes_through(model, pool):
    def batches():
        yield pool.to_batches()[0]
        raise RuntimeError("the source is broken")

    reader = pa.RecordBatchReader.from_batches(pool.schema, batches())
    with pytest.raises(Exception, match="the source is broken"):
        pa.table(model.score(reader))


def test_progress_is_told_and_can_stop(quick):
    options, trusted, pool = quick
    told = []
    spuna.fit(trusted, pool, progress=lambda *args: told.append(args), **options)
    assert [stage for stage, _ in told][-1] == "distill"
    assert all(isinstance(done, float) for _, done in told)

    def stop(stage, done):
        if stage == "distill":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        spuna.fit(trusted, pool, progress=stop, **{**options, "recipe": "paper", "epochs": 10**6})


def test_progress_with_tqdm(quick, capsys):
    options, trusted, pool = quick
    spuna.fit(trusted, pool, progress=True, **options)
    assert "distill" in capsys.readouterr().err


def test_the_gil_is_released(quick):
    options, trusted, pool = quick
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    spuna.fit(trusted, pool, **{**options, "epochs": 300})
    during = len(ticks) - before
    done.set()
    thread.join()
    assert during > 20


def test_several_threads_fit_and_score_at_once(quick):
    options, trusted, pool = quick
    expected = spuna.fit(trusted, pool, **options).scores(pool)
    results = []

    def work():
        results.append(spuna.fit(trusted, pool, **options).scores(pool))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_ctrl_c_ends_a_fit():
    script = (
        "import numpy as np, spuna\n"
        "rng = np.random.default_rng(0)\n"
        "try:\n"
        "    spuna.fit(rng.normal(size=(200, 4)), rng.normal(size=(300, 4)), epochs=10**6, recipe='paper',\n"
        "              progress=lambda stage, done: print(stage, flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline() != "distill\n":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out.splitlines()[-1] == "interrupted"
    assert process.returncode == 0


def test_arrays_are_held_and_given_back(model):
    matrix = np.zeros((10, model.dimension), np.float32)
    before = sys.getrefcount(matrix)
    capsule = model.score(matrix).__arrow_c_stream__()
    assert sys.getrefcount(matrix) > before
    table = pa.table(_Holder(capsule))
    del capsule
    assert sys.getrefcount(matrix) > before
    del table
    gc.collect()
    assert sys.getrefcount(matrix) == before
    # A capsule that nobody reads gives it back too.
    del_me = model.score(matrix).__arrow_c_stream__()
    del del_me
    gc.collect()
    assert sys.getrefcount(matrix) == before


class _Holder:
    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def test_files_are_read_as_the_command_reads_them(sample, pool, tmp_path, by_command):
    (tmp_path / "lake").mkdir()
    pq.write_table(pool.slice(0, 900), tmp_path / "lake" / "a.parquet")
    pq.write_table(pool.slice(900).select(["id", "embedding"]), tmp_path / "lake" / "b.parquet")
    model = spuna.fit(sample / "trusted.parquet", tmp_path / "lake")
    assert model.to_bytes() == (sample / "model.safetensors").read_bytes()
    for shifted in (0, 1):
        folder = tmp_path / "scored" / f"truth={shifted}"
        folder.mkdir(parents=True)
        pq.write_table(by_command.filter(pc.field("shifted") == bool(shifted)), folder / "a.parquet")
    assert spuna.evaluate(tmp_path / "scored", "truth") == spuna.evaluate(by_command, "shifted")


def test_masked_rows_are_no_rows(model, pool):
    matrix = np.ma.masked_array(embeddings(pool)[:5], mask=False)
    matrix[2, 7] = np.ma.masked
    assert np.isnan(model.scores(matrix)).tolist() == [False, False, True, False, False]


def test_paths_need_not_be_text(sample, model, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.safetensors"
    model.save(path)
    assert spuna.Model.load(path).to_bytes() == model.to_bytes()


def test_ctrl_c_is_heard_between_batches():
    script = (
        "import numpy as np, spuna, signal\n"
        "rng = np.random.default_rng(0)\n"
        "model = spuna.fit(rng.normal(size=(200, 64)), rng.normal(size=(300, 64)), epochs=1)\n"
        "rows = np.zeros((3_000_000, 64), np.float32)\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    while True: model.scores(rows, threads=1)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out == "interrupted\n"


def test_views_stay_small_when_rows_are_dropped(model, pool):
    views = pool.append_column("view", pool["id"].cast(pa.string_view())).combine_chunks()
    kept = pa.table(model.score(views, drop=True))
    assert sum(len(chunk.buffers()) for chunk in kept["view"].chunks) < 10


def test_hive_partitions_become_columns(model, pool, tmp_path):
    for day in ("1", "2"):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(pool.slice(0, 20), tmp_path / f"day={day}" / "a.parquet")
    scored = pa.table(model.score(tmp_path))
    assert scored["day"].to_pylist() == ["1"] * 20 + ["2"] * 20
