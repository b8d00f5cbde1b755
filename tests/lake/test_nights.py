"""Thirty nights of a growing lake, with faults and kills: the output is that of one undisturbed run."""

import os

import pytest

pytest.register_assert_rewrite("nights")

from nights import Nights  # noqa: E402

NIGHTS = 30
SEEDS = int(os.environ.get("SPUNA_NIGHTS_SEEDS", 5))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_thirty_nights(tmp_path, seed):
    nights = Nights(tmp_path, seed)
    try:
        for day in range(NIGHTS):
            nights.one_night(day)
        nights.check_the_end()
    except Exception:
        print(f"seed {seed}:", *nights.history, sep="\n  ")
        raise
