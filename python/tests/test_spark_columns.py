"""Which columns and rows spuna.spark writes."""

import pytest
import spark_sessions
from conftest import check_same
from pyspark.sql import functions as F

import spuna
import spuna.spark


@pytest.fixture(scope="module")
def spark():
    with spark_sessions.session("local[2]") as started:
        yield started


@pytest.fixture
def old_df(spark, sample):
    """The pool with columns that are called as ours."""
    pool = spark.read.parquet(str(sample / "pool.parquet"))
    return pool.withColumn("spuna_score", F.lit("old")).withColumn("spuna_p_value", F.lit("mine"))


def test_columns_that_are_written_are_replaced(old_df, model, by_command):
    with pytest.raises(ValueError, match="'spuna_score' already"):
        spuna.spark.score(old_df, model)
    replaced = spuna.spark.score(old_df, model, replace=True)
    theirs = [name for name in old_df.columns if name != "spuna_score"]
    assert replaced.columns == [*theirs, "spuna_score", "spuna_keep"]
    assert dict(replaced.dtypes)["spuna_p_value"] == "string"
    check_same(replaced.orderBy("id").toArrow(), by_command.sort_by("id"))


def test_columns_come_in_the_order_asked_for(spark, sample, old_df, model, by_command):
    names = ["spuna_keep", "id", "spuna_score"]
    narrow = spuna.spark.score(old_df, model, replace=True, columns=names)
    assert narrow.columns == names
    check_same(narrow.orderBy("id").toArrow(), by_command.sort_by("id"))
    assert spuna.spark.score(old_df, model, columns=["id"]).columns == ["id"]
    trusted = spark.read.parquet(str(sample / "trusted.parquet"))
    cleaned = spuna.spark.clean(trusted, old_df, epochs=1, columns=["id", "spuna_keep"])
    assert cleaned.columns == ["id", "spuna_keep"]
    assert cleaned.count() == len(by_command)
    with pytest.raises(ValueError, match="there is no column 'idd'; did you mean 'id'?"):
        spuna.spark.score(old_df, model, columns=["idd"])


def test_drop_leaves_rows_without_a_valid_embedding_out(spark, model):
    d = model.dimension
    rows = [(1, [0.5] * d), (2, None), (3, [float("nan")] * d)]
    df = spark.createDataFrame(rows, "id int, embedding array<double>").coalesce(1)
    kept = {row.id for row in spuna.spark.score(df, model).where("spuna_keep").collect()}
    assert {row.id for row in spuna.spark.score(df, model, drop=True).collect()} == kept <= {1}
