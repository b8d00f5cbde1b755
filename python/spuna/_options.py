"""The options of calls. Written by scripts/option_docs; do not edit."""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """What help texts and signatures have of an option."""

    annotation: str
    default: object
    rule: str
    help: str


CALLS: dict[str, dict[str, Option]] = {
    "fit": {
        "embedding": Option('str | None', None, "`embedding`, else the only fitting column", "Column of embeddings. The pool is tried for the trusted rows' column first, a scored input for the model's. All files of an input use the column of its first"),
        "keep_banks": Option('bool', False, "", "Keep the labeled rows in the model, for `score --by neighbors`"),
        "threshold": Option('float | None', None, "0.5", "Drop rows scoring at least this"),
        "max_clean_loss": Option('float | None', None, "", "Drop at most this share of the clean rows, in expectation"),
        "max_false_drops": Option('float | None', None, "", "Let at most this share of the dropped rows be clean, in expectation"),
        "keep_share": Option('float | None', None, "", "Keep this share of the pool"),
        "calibration": Option('Literal["cross", "none", "split"] | None', None, "split where needed", "none; split: hold out trusted rows to measure what a threshold costs; cross: all of them in turn, six fits, guarantees about twice the level only"),
        "calibration_rows": Option('int | None', None, "a quarter, or what the level needs", "Trusted rows that a split holds out. At most half of them"),
        "stratify": Option('str | None', None, "", "Column of classes: compare rows within a class, since another mix of classes is no shift. In trusted rows and pool; on files only"),
        "recipe": Option('Literal["fast", "paper", "robust"]', "robust", "", "robust; fast: robust in few dimensions, for pools of 100,000 rows and more; paper: S-PUNA as published. It decides what is not set below"),
        "metric": Option('Literal["contrast", "cosine", "euclidean", "whitened"] | None', None, "whitened; contrast in `fast`, euclidean in `paper`", "euclidean, whitened, cosine or contrast: the coordinates neighbors are found in"),
        "seeds": Option('Literal["cross-fitted", "distance"] | None', None, "cross-fitted; distance in `paper`", "distance (to the nearest trusted row) or cross-fitted (\"trusted or pool?\")"),
        "discriminant": Option('Literal["off", "on"] | bool | None', None, "on; off in `paper`", "on or off: the cross-fitted score as one more coordinate"),
        "sides": Option('Literal["even", "share"] | None', None, "share; even in `paper`", "even or share: whether half of the pool or the estimated share becomes shifted"),
        "targets": Option('Literal["labels", "soft"] | None', None, "soft; labels in `paper`", "labels or soft: what the classifier learns"),
        "alpha": Option('int | None', None, "pool rows / 40, 1 to 30; 30 in `paper`", "Seeds a side"),
        "beta": Option('int | None', None, "1500 for 14,000 pool rows, in proportion", "Rows a side and round"),
        "k": Option('int | None', None, "pool rows / 20, 5 to 100; 100 in `paper`", "Neighbors. Their mean distance ranks a row"),
        "epsilon": Option('float', 0, "", "Stop when the entropy grows by less than this"),
        "on_stop": Option('Literal["keep", "rollback"]', "keep", "", "keep or rollback: the rows of the round in which the entropy fell"),
        "hidden": Option('int | None', None, "2 × dimension, 64 to 512; 512 in `paper`", "Hidden units of the classifier. Soft targets add two"),
        "epochs": Option('int | None', None, "10 √(5000 / rows), 1 to 20; 20 in `paper`", "Passes over the labeled rows"),
        "learning_rate": Option('float', 0.001, "", "Step size of Adam"),
        "batch_size": Option('int', 128, "", "Rows a step"),
        "seed": Option('int', 0, "", "Decides the folds, the initial weights, the order of the rows and the sample"),
        "fit_rows": Option('int', 50000, "", "Pool rows to fit on: a larger pool is sampled; 0 takes all. Those rows are taken whose hash of (seed, relative path, row number) is smallest: the same ones whatever the order of the files. docs/scale.md explains the number"),
        "fit_sample": Option('Literal["by-partition", "uniform"]', "uniform", "", "uniform, or by-partition: each hive partition in proportion, at least one row"),
        "neighbors": Option('Literal["auto", "kd-tree", "product"]', "auto", "", "auto, kd-tree or product: how neighbors are found; the result is the same"),
        "invalid": Option('Literal["drop", "error", "null"]', "null", "", "null, drop or error: rows with a null or non-finite embedding. `null` leaves our columns null, `drop` leaves the row out, `error` stops"),
        "threads": Option('int | None', None, "all, at most 64", "Threads"),
    },
    "score": {
        "embedding": Option('str | None', None, "that of the model, else the only fitting column", "Column of embeddings"),
        "drop": Option('bool', False, "", "Leave out the rows that are not kept"),
        "threshold": Option('float | None', None, "the model's", "Drop rows scoring at least this"),
        "max_clean_loss": Option('float | None', None, "", "Drop at most this share of the clean rows, in expectation"),
        "p_values": Option('bool', False, "", "Write a column of p-values: how rare a clean row with such a score is"),
        "by": Option('Literal["classifier", "neighbors"]', "classifier", "", "classifier, or neighbors: the score without classifier; needs a model with banks"),
        "neighbors": Option('Literal["auto", "kd-tree", "product"]', "auto", "", "auto, kd-tree or product: how neighbors are found; the result is the same"),
        "prefix": Option('str', "spuna_", "", "What our columns' names start with"),
        "invalid": Option('Literal["drop", "error", "null"]', "null", "", "null, drop or error: rows with a null or non-finite embedding. `null` leaves our columns null, `drop` leaves the row out, `error` stops"),
        "threads": Option('int | None', None, "all, at most 64", "Threads"),
    },
    "clean": {
        "embedding": Option('str | None', None, "`embedding`, else the only fitting column", "Column of embeddings. The pool is tried for the trusted rows' column first, a scored input for the model's. All files of an input use the column of its first"),
        "drop": Option('bool', False, "", "Leave out the rows that are not kept"),
        "keep_banks": Option('bool', False, "", "Keep the labeled rows in the model, for `score --by neighbors`"),
        "threshold": Option('float | None', None, "0.5", "Drop rows scoring at least this"),
        "max_clean_loss": Option('float | None', None, "", "Drop at most this share of the clean rows, in expectation"),
        "max_false_drops": Option('float | None', None, "", "Let at most this share of the dropped rows be clean, in expectation"),
        "keep_share": Option('float | None', None, "", "Keep this share of the pool"),
        "calibration": Option('Literal["cross", "none", "split"] | None', None, "split where needed", "none; split: hold out trusted rows to measure what a threshold costs; cross: all of them in turn, six fits, guarantees about twice the level only"),
        "calibration_rows": Option('int | None', None, "a quarter, or what the level needs", "Trusted rows that a split holds out. At most half of them"),
        "stratify": Option('str | None', None, "", "Column of classes: compare rows within a class, since another mix of classes is no shift. In trusted rows and pool; on files only"),
        "p_values": Option('bool', False, "", "Write a column of p-values: how rare a clean row with such a score is"),
        "recipe": Option('Literal["fast", "paper", "robust"]', "robust", "", "robust; fast: robust in few dimensions, for pools of 100,000 rows and more; paper: S-PUNA as published. It decides what is not set below"),
        "metric": Option('Literal["contrast", "cosine", "euclidean", "whitened"] | None', None, "whitened; contrast in `fast`, euclidean in `paper`", "euclidean, whitened, cosine or contrast: the coordinates neighbors are found in"),
        "seeds": Option('Literal["cross-fitted", "distance"] | None', None, "cross-fitted; distance in `paper`", "distance (to the nearest trusted row) or cross-fitted (\"trusted or pool?\")"),
        "discriminant": Option('Literal["off", "on"] | bool | None', None, "on; off in `paper`", "on or off: the cross-fitted score as one more coordinate"),
        "sides": Option('Literal["even", "share"] | None', None, "share; even in `paper`", "even or share: whether half of the pool or the estimated share becomes shifted"),
        "targets": Option('Literal["labels", "soft"] | None', None, "soft; labels in `paper`", "labels or soft: what the classifier learns"),
        "alpha": Option('int | None', None, "pool rows / 40, 1 to 30; 30 in `paper`", "Seeds a side"),
        "beta": Option('int | None', None, "1500 for 14,000 pool rows, in proportion", "Rows a side and round"),
        "k": Option('int | None', None, "pool rows / 20, 5 to 100; 100 in `paper`", "Neighbors. Their mean distance ranks a row"),
        "epsilon": Option('float', 0, "", "Stop when the entropy grows by less than this"),
        "on_stop": Option('Literal["keep", "rollback"]', "keep", "", "keep or rollback: the rows of the round in which the entropy fell"),
        "hidden": Option('int | None', None, "2 × dimension, 64 to 512; 512 in `paper`", "Hidden units of the classifier. Soft targets add two"),
        "epochs": Option('int | None', None, "10 √(5000 / rows), 1 to 20; 20 in `paper`", "Passes over the labeled rows"),
        "learning_rate": Option('float', 0.001, "", "Step size of Adam"),
        "batch_size": Option('int', 128, "", "Rows a step"),
        "seed": Option('int', 0, "", "Decides the folds, the initial weights, the order of the rows and the sample"),
        "fit_rows": Option('int', 50000, "", "Pool rows to fit on: a larger pool is sampled; 0 takes all. Those rows are taken whose hash of (seed, relative path, row number) is smallest: the same ones whatever the order of the files. docs/scale.md explains the number"),
        "fit_sample": Option('Literal["by-partition", "uniform"]', "uniform", "", "uniform, or by-partition: each hive partition in proportion, at least one row"),
        "neighbors": Option('Literal["auto", "kd-tree", "product"]', "auto", "", "auto, kd-tree or product: how neighbors are found; the result is the same"),
        "prefix": Option('str', "spuna_", "", "What our columns' names start with"),
        "invalid": Option('Literal["drop", "error", "null"]', "null", "", "null, drop or error: rows with a null or non-finite embedding. `null` leaves our columns null, `drop` leaves the row out, `error` stops"),
        "threads": Option('int | None', None, "all, at most 64", "Threads"),
    },
}
