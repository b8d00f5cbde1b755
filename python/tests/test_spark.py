"""spuna.spark with a real Spark in this process's JVM."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import spark_sessions
from conftest import check_same, run_command
from pyspark.errors import PythonException
from pyspark.sql import functions as F
from pyspark.sql import types as T
from scale_blocks import blocks_with, check_block, run_block

import spuna
import spuna._spark_parts
import spuna.spark
from spuna._worker import load_model


@pytest.fixture(scope="module")
def spark():
    with spark_sessions.session("local[2]") as started:
        yield started


@pytest.fixture
def pool_df(spark, sample):
    return spark.read.parquet(str(sample / "pool.parquet"))


@pytest.fixture
def trusted_df(spark, sample):
    return spark.read.parquet(str(sample / "trusted.parquet"))


def by_id(df):
    return df.orderBy("id").toArrow()


def scored_by_the_command(model, pool, folder):
    model.save(folder / "model.safetensors", overwrite=True)
    run_command("score", "--model", folder / "model.safetensors", "--input", pool,
                "--out", folder / "scored.parquet", "--overwrite")
    return pq.read_table(folder / "scored.parquet")


@pytest.mark.parametrize("element", ["float", "double"])
def test_scores_are_those_of_the_command(pool_df, model, by_command, element):
    df = pool_df.withColumn("embedding", F.col("embedding").cast(f"array<{element}>")).repartition(5)
    scored = spuna.spark.score(df, model)
    assert scored.schema.fields[:-2] == df.schema.fields
    assert scored.schema.fields[-2:] == [
        T.StructField("spuna_score", T.FloatType()), T.StructField("spuna_keep", T.BooleanType())
    ]
    check_same(by_id(scored), by_command.sort_by("id"))


def test_partitions_stay_as_they_are(spark, pool_df, model):
    # Some of them have no row.
    df = pool_df.limit(5).repartition(8, "id")
    sizes = df.rdd.glom().map(len).collect()
    assert 0 in sizes and sum(sizes) == 5
    scored = spuna.spark.score(df, model)
    assert scored.rdd.getNumPartitions() == df.rdd.getNumPartitions()
    assert scored.rdd.glom().map(len).collect() == sizes
    assert spuna.spark.score(df.where("false"), model).count() == 0


def test_rows_without_an_embedding_get_null(spark, model):
    d = model.dimension
    rows = [(1, [0.5] * d), (2, None), (3, [0.5] * (d - 1) + [float("nan")]), (4, [float("inf")] * d)]
    df = spark.createDataFrame(rows, "id int, embedding array<double>").coalesce(1)
    found = {row.id: row for row in spuna.spark.score(df, model).collect()}
    assert 0 <= found[1].spuna_score <= 1 and found[1].spuna_keep is not None
    for i in (2, 3, 4):
        assert found[i].spuna_score is None and found[i].spuna_keep is None
    kept = spuna.spark.score(df, model, invalid="drop").collect()
    assert [row.id for row in kept] == [1]


def test_a_stream_of_many_batches_is_one_stream(spark, pool_df, model, by_command):
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    try:
        check_same(by_id(spuna.spark.score(pool_df.coalesce(1), model)), by_command.sort_by("id"))
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_options_of_the_score(pool_df, model, by_command):
    dropped = spuna.spark.score(pool_df, model, drop=True, prefix="my_", embedding="embedding")
    assert dropped.columns[-2:] == ["my_score", "my_keep"]
    assert dropped.count() == pc.sum(by_command["spuna_keep"]).as_py()


def test_a_clean_takes_p_values(trusted_df, pool_df):
    cleaned = spuna.spark.clean(trusted_df, pool_df, p_values=True, epochs=1)
    assert cleaned.columns[-3:] == ["spuna_score", "spuna_keep", "spuna_p_value"]
    assert 0 < cleaned.agg(F.min("spuna_p_value")).first()[0] <= 1


def test_what_is_wrong_with_the_columns_is_told_at_once(spark, pool_df, model):
    score = spuna.spark.score
    with pytest.raises(ValueError, match="there is no column 'vec'"):
        score(pool_df, model, embedding="vec")
    with pytest.raises(ValueError, match="there is no embedding column"):
        score(pool_df.select("id"), model)
    with pytest.raises(ValueError, match="spuna_keep"):
        score(pool_df.withColumn("spuna_keep", F.lit(True)), model)
    with pytest.raises(ValueError, match="there is a column 'Spuna_Keep' already; choose another `prefix`"):
        score(pool_df.withColumn("Spuna_Keep", F.lit(True)), model)
    with pytest.raises(ValueError, match="there is no option `color`"):
        score(pool_df, model, color="red")


def test_vectors_of_spark_ml_are_pointed_out(spark, pool_df, trusted_df, model):
    from pyspark.ml.functions import array_to_vector, vector_to_array

    vectors = pool_df.withColumn("embedding", array_to_vector(F.col("embedding").cast("array<double>")))
    advice = r"column 'embedding' is a vector of pyspark.ml: .*vector_to_array\('embedding'\)"
    for call in (
        lambda: spuna.spark.score(vectors, model),
        lambda: spuna.spark.clean(trusted_df, vectors),
        lambda: spuna.spark.expand(vectors, pool_df),
    ):
        with pytest.raises(ValueError, match=advice):
            call()
    arrays = vectors.withColumn("embedding", vector_to_array("embedding"))
    assert spuna.spark.score(arrays, model).where("spuna_keep").count() > 500


def test_a_wrong_dimension_within_a_partition_reaches_the_driver(spark, pool_df, trusted_df, model):
    cut = F.when(F.col("id").endswith("7"), F.slice("embedding", 1, 239)).otherwise(F.col("embedding"))
    df = pool_df.withColumn("embedding", cut).coalesce(1)
    scored = spuna.spark.score(df, model)  # lazy: nothing is wrong yet
    with pytest.raises(PythonException, match="expected dimension 240 but found 239 at row"):
        scored.count()
    with pytest.raises(PythonException, match="partition 0 of the pool.*expected dimension 240 but found 239"):
        spuna.spark.expand(trusted_df, df)
    short = pool_df.withColumn("embedding", F.slice("embedding", 1, 100))
    with pytest.raises(PythonException, match="expected dimension 240, that of the trusted rows, but found 100"):
        spuna.spark.expand(trusted_df, short)


def test_a_worker_reads_a_model_once(model):
    data = model.to_bytes()
    assert load_model(data) is load_model(bytes(bytearray(data)))


def test_clean_scores_as_the_command_does_with_its_model(trusted_df, pool_df, sample, tmp_path):
    cleaned = spuna.spark.clean(trusted_df, pool_df.repartition(3), epochs=5)
    report = cleaned.spuna_model.report()
    assert report["fit"]["rows_trusted"] == 500 and report["fit"]["rows_pool"] == 1500
    expected = scored_by_the_command(cleaned.spuna_model, sample / "pool.parquet", tmp_path)
    check_same(by_id(cleaned), expected.sort_by("id"))
    assert spuna.evaluate(cleaned.toArrow(), "shifted")["auroc"] > 0.99
    dropped = spuna.spark.clean(trusted_df, pool_df, epochs=5, drop=True, prefix="my_")
    assert dropped.count() == pc.sum(expected["spuna_keep"]).as_py()


def test_the_sample_does_not_depend_on_partitions(trusted_df, pool_df):
    def model_of(pool, **options):
        return spuna.spark.clean(trusted_df, pool, epochs=1, **options).spuna_model

    few = model_of(pool_df.coalesce(1), fit_rows=400)
    assert few.report()["fit"]["rows_pool"] == few.report()["fit"]["rows_trusted"] == 400
    mixed = pool_df.orderBy("embedding").repartition(7)
    assert model_of(mixed, fit_rows=400).to_bytes() == few.to_bytes()
    assert model_of(mixed).to_bytes() == model_of(pool_df).to_bytes()
    assert model_of(pool_df, fit_rows=400, seed=1).to_bytes() != few.to_bytes()


def test_the_sample_is_the_rows_of_smallest_hash(spark, pool_df):
    hashes = [
        F.xxhash64(F.lit(3), "embedding", "id", "shifted", "source").alias("hash"),
        F.xxhash64(F.lit(3), "embedding").alias("hash"),
    ]
    for df, key in zip((pool_df, pool_df.select("embedding")), hashes):
        expected = df.select("embedding", key).orderBy("hash").limit(60).toArrow()["embedding"]
        found = spuna.spark._sample(df, "embedding", 60, seed=3)["embedding"]
        assert found.to_pylist() == expected.to_pylist()
    # One row many times, which no even hash foresees: all are sorted, and enough are found.
    same = pool_df.limit(1).select("embedding").crossJoin(spark.range(3000).select())
    assert spuna.spark._sample(same, "embedding", 100, seed=0).num_rows == 100


def test_what_is_wrong_is_told_before_the_fit(trusted_df, pool_df):
    clean = spuna.spark.clean
    with pytest.raises(ValueError, match="`fit_rows`: expected a whole number of 1 or more but found 0"):
        clean(trusted_df, pool_df, fit_rows=0)
    with pytest.raises(ValueError, match="spuna_score"):
        clean(trusted_df, pool_df.withColumn("spuna_score", F.lit(1)))
    with pytest.raises(ValueError, match="there is no option `color`"):
        clean(trusted_df, pool_df, color="red")
    with pytest.raises(ValueError, match="the trusted rows: there is no column 'vec'"):
        clean(trusted_df, pool_df, embedding="vec")
    two = pool_df.select(F.col("embedding").alias("a"), F.col("embedding").alias("b"))
    with pytest.raises(ValueError, match=r"the pool: several columns could hold the embeddings \('a', 'b'\)"):
        clean(trusted_df, two)


def labels_by_the_command(trusted, pool, folder, *options):
    """The labels file and the report of a fit by the paper's recipe."""
    report = run_command(
        "fit", "--recipe", "paper", "--fit-rows", 0, "--trusted", trusted, "--pool", pool, "--epochs", 1, "--hidden", 8,
        "--model", folder / "paper.safetensors", "--labels", folder / "labels.parquet", "--overwrite",
        *options,
    )
    return pq.read_table(folder / "labels.parquet"), report


def check_labels(expanded, labels, report):
    found = by_id(expanded.rows).select(["id", "spuna_label", "spuna_round"])
    expected = labels.sort_by("id").select(["id", "spuna_label", "spuna_round"])
    for name in found.column_names:
        assert found[name].to_pylist() == expected[name].to_pylist()
    for key in ("rows_trusted", "rows_pool", "alpha", "beta", "k", "rounds", "stopped_by", "labeled"):
        assert expanded.report[key] == report[key]
    assert np.allclose(expanded.report["entropy"], report["entropy"], rtol=0, atol=1e-12)


def test_expand_gives_the_labels_of_the_command_at_100_000_rows(spark, tmp_path):
    """Over 8 partitions, with every tenth row twice and some of them in different partitions."""
    rng = np.random.default_rng(5)
    n, d = 100_000, 16
    rows = rng.normal(size=(n, d)).astype(np.float32)
    rows[::3] += 0.8
    copied = rng.permutation(n)[: n // 5].reshape(2, -1)
    rows[copied[0]] = rows[copied[1]]
    trusted = rng.normal(size=(1000, d)).astype(np.float32)
    for name, matrix in (("trusted", trusted), ("pool", rows)):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), d)
        table = pa.table({"id": pa.array(np.arange(len(matrix))), "embedding": lists})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    shared = spark.sparkContext.broadcast(rows)

    def rows_of(batches):
        for batch in batches:
            values = shared.value[batch.column(0).to_numpy()]
            offsets = pa.array(np.arange(len(values) + 1, dtype=np.int32) * d)
            yield batch.append_column(
                "embedding", pa.ListArray.from_arrays(offsets, pa.array(values.ravel()))
            )

    pool = spark.range(0, n, 1, 8).mapInArrow(rows_of, "id long, embedding array<float>")
    assert pool.rdd.getNumPartitions() == 8
    options = {"alpha": 30, "beta": 6000, "k": 20}
    expanded = spuna.spark.expand(
        spark.read.parquet(str(tmp_path / "trusted.parquet")), pool, **options
    )
    arguments = [text for key, value in options.items() for text in (f"--{key}", value)]
    labels, report = labels_by_the_command(
        tmp_path / "trusted.parquet", tmp_path / "pool.parquet", tmp_path, *arguments
    )
    assert report["rounds"] >= 2
    assert expanded.rows.rdd.getNumPartitions() == 8
    check_labels(expanded, labels, report)
    # Ties were there to be decided: some pairs of equal rows were parted.
    rounds = labels["spuna_round"].fill_null(-1).to_numpy()
    assert (rounds[copied[0]] != rounds[copied[1]]).any()


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 20, "k": 30},
        {"alpha": 20, "k": 30, "epsilon": 10.0, "on_stop": "rollback"},
        {"alpha": 5, "k": 7, "beta": 100, "epsilon": -100.0},
    ],
    ids=["default", "rollback", "exhausted"],
)
def test_expand_gives_the_labels_of_the_command(spark, sample, tmp_path, options):
    """Of doubles with rows that are null or not finite among them, and empty partitions."""
    pool = pq.read_table(sample / "pool.parquet").select(["id", "embedding"])
    lists = pool["embedding"].to_pylist()
    lists[3], lists[700] = None, [float("nan")] * len(lists[0])
    table = pa.table(
        {"id": range(pool.num_rows), "embedding": pa.array(lists, pa.list_(pa.float64()))}
    )
    pq.write_table(table, tmp_path / "pool.parquet")
    df = spark.read.parquet(str(tmp_path / "pool.parquet")).coalesce(1)
    df = df.union(df.where("false")).union(df.where("id < 0"))
    trusted = spark.read.parquet(str(sample / "trusted.parquet"))
    expanded = spuna.spark.expand(trusted, df, **options)
    arguments = [
        f"--{key.replace('_', '-')}={value}" for key, value in options.items()
    ]
    labels, report = labels_by_the_command(
        sample / "trusted.parquet", tmp_path / "pool.parquet", tmp_path, *arguments
    )
    check_labels(expanded, labels, report)


def test_expanded_rows_may_be_coalesced_and_joined(trusted_df, pool_df):
    """A task then has several partitions, or one of another number."""
    pool = pool_df.repartition(5, "id").persist()
    rows = spuna.spark.expand(trusted_df, pool, alpha=10, k=9).rows
    expected = by_id(rows)
    assert expected["spuna_label"].null_count < expected.num_rows
    assert by_id(rows.coalesce(2)).equals(expected)
    assert by_id(rows.limit(0).union(rows.where("false")).union(rows)).equals(expected)
    pool.unpersist()


def test_expand_works_in_blocks(spark, sample, tmp_path, trusted_df, pool_df, monkeypatch):
    """A partition of many blocks gives the same labels; tasks get the size with the function."""
    numbered = pool_df.coalesce(1)
    whole = spuna.spark.expand(trusted_df, numbered, alpha=10, k=9)
    in_blocks = []

    def small_blocks(trusted, k, search):
        def run(batches):
            import spuna._spark_parts as module

            before, module._BLOCK_BYTES = module._BLOCK_BYTES, 1 << 17
            try:
                yield from make(trusted, k, search)(batches)
            finally:
                module._BLOCK_BYTES = before

        in_blocks.append(run)
        return run

    make = spuna._spark_parts._block_maker
    monkeypatch.setattr(spuna._spark_parts, "_block_maker", small_blocks)
    parted = spuna.spark.expand(trusted_df, numbered, alpha=10, k=9)
    assert len(in_blocks) == 1
    assert by_id(parted.rows).equals(by_id(whole.rows))
    assert len(parted.report.pop("seconds")) == len(whole.report.pop("seconds"))
    assert parted.report == whole.report


def test_expand_tells_of_a_pool_that_changes(trusted_df, pool_df):
    def noisy(batches):
        import time

        for batch in batches:
            values = [[time.time() % 1 + v for v in row] for row in batch.column(0).to_pylist()]
            yield pa.RecordBatch.from_arrays([pa.array(values, pa.list_(pa.float32()))], ["embedding"])

    changing = pool_df.select("embedding").mapInArrow(noisy, "embedding array<float>")
    expanded = spuna.spark.expand(trusted_df, changing, alpha=5, k=5)
    with pytest.raises(PythonException, match=r"has other rows than when the labels were made; persist\(\)"):
        expanded.rows.select("spuna_label").collect()
    held = changing.persist()
    try:
        rows = spuna.spark.expand(trusted_df, held, alpha=5, k=5).rows
        assert rows.where("spuna_round = 0").count() == 10
    finally:
        held.unpersist()


def test_what_is_wrong_with_an_expansion_is_told(spark, trusted_df, pool_df):
    expand = spuna.spark.expand
    for options, message in (
        ({"alpha": 0}, "`alpha`: expected a whole number of 1 or more but found 0"),
        ({"on_stop": "pause"}, "`on_stop`: expected one of keep, rollback but found 'pause'"),
        ({"epsilon": float("nan")}, "`epsilon`: expected a finite number but found nan"),
        ({"neighbors": "best"}, "`neighbors`"),
        ({"alpha": 751}, r"2 \* `alpha` must not exceed the number of valid pool rows"),
    ):
        with pytest.raises(ValueError, match=message):
            expand(trusted_df, pool_df, **options)
    with pytest.raises(ValueError, match="the pool: there is a column 'spuna_round' already"):
        expand(trusted_df, pool_df.withColumn("spuna_round", F.lit(1)))
    with pytest.raises(ValueError, match="there are no valid pool rows"):
        expand(trusted_df, pool_df.where("false"))
    with pytest.raises(ValueError, match="there are no valid trusted rows"):
        expand(trusted_df.where("false"), pool_df)
    same = spark.range(100).select(F.array_repeat(F.lit(0.5), 240).alias("embedding")).repartition(3)
    with pytest.raises(ValueError, match="all 100 pool rows are identical"):
        expand(trusted_df, same, alpha=5)


def test_the_blocks_of_the_documentation(spark, in_sample, by_command):
    cleaned, scored, expanded = blocks_with("spuna.spark", 3)
    check_block(run_block(scored, in_sample, spark=spark).toArrow(), in_sample, by_command)
    check_block(run_block(cleaned, in_sample, spark=spark).toArrow(), in_sample, by_command)
    assert (in_sample / "cleaned.safetensors").exists()
    labels, _ = labels_by_the_command("trusted.parquet", "pool.parquet", in_sample, "--alpha=20", "--k=30")
    found = by_id(run_block(expanded, in_sample, spark=spark))
    assert found.equals(labels.sort_by("id").select(found.column_names).cast(found.schema))


def test_without_pyspark_it_says_what_is_missing():
    code = (
        "import sys; sys.modules['pyspark'] = None\n"
        "import spuna; assert 'pyarrow' not in sys.modules\n"
        "try:\n  import spuna.spark\n"
        "except ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("spuna.spark needs pyspark 4.0 or newer: ")
    assert said.endswith("pip install 'spuna[spark]'\n")
