"""Pairs of texts that share shingles, by a join; what many texts have is divided and bounded."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.fingerprints.hashing import equal_runs, ranks_within
from es_simhash.spark.engine import Batches, Column, Columns, DataFrame, F, ddl, kept, pyarrow

# Texts of a posting list that the others of it are compared with; as in a run over an index.
MAX_TEXTS = 2000
_POSTING: Columns = (("shingle", "int"), ("key", "long"), ("least", "byte"), ("place", "long"))


def postings(texts: DataFrame, by: str = "asked") -> DataFrame:
    """Return the posting lists of the shingles that several texts have, a row for each text.

    Places are counted here and not by a window: Spark holds all rows of a window in memory, in
    pages of 64 MB as soon as there are some thousand, until collecting garbage is all it does.

    Args:
        texts: Texts with `key`, `least` and their shingles.
        by: Column of the shingles that are listed.

    Returns:
        `shingle`, `key`, `least` and `place`, which counts the keys of a list from 1, ascending.
    """
    entries = texts.select(F.explode(by).alias("shingle"), "key", "least")
    ordered = entries.repartition("shingle").sortWithinPartitions("shingle", "key")
    return kept(ordered.mapInArrow(_placed, ddl(_POSTING)))


def _placed(batches: Batches) -> Iterator[Any]:
    """Yield entries, which are in their order, with their places; lists of one text are left out.

    The last entry of a batch is held back: the next one says whether its list goes on.
    """
    held, place = None, 1
    for batch in batches:
        if not batch.num_rows:
            continue
        entries = pyarrow.Table.from_batches([batch] if held is None else [held, batch])
        shingles = entries["shingle"].to_numpy()
        places = _places(shingles, place)
        is_followed = shingles[1:] == shingles[:-1]
        yield from _chosen(entries, places, np.append(is_followed | (places[:-1] > 1), False))
        held, place = batch.slice(batch.num_rows - 1), int(places[-1])
    if held is not None and place > 1:
        yield from _chosen(held, np.array([place]), np.array([True]))


def _places(shingles: NDArray[np.int32], first: int) -> NDArray[np.int64]:
    """Return the places of entries in their lists, when that of the first is known."""
    _, sizes = equal_runs(shingles)
    places = ranks_within(sizes) + 1
    places[: sizes[0]] += first - 1
    return places


def _chosen(entries: Any, places: NDArray[np.int64], is_chosen: NDArray[np.bool_]) -> Iterator[Any]:
    """Yield the batches of some of the entries, with their places."""
    columns = [*entries.columns, pyarrow.array(places)]
    table = pyarrow.table(columns, names=[name for name, _ in _POSTING])
    yield from table.filter(pyarrow.array(is_chosen)).to_batches()


def candidate_pairs(listed: DataFrame, max_texts: int = MAX_TEXTS) -> DataFrame:
    """Return the pairs of texts, `one` and `other`, that share enough shingles to be compared.

    The texts of a longer list are paired with the first of it alone, in slices, so that no task
    takes the time of all. Whatever else two such texts share counts in full.

    Args:
        listed: Postings.
        max_texts: How many these are.
    """
    others = listed.select(
        "shingle",
        _slice_of("place", max_texts).alias("slice"),
        F.col("key").alias("other"),
        F.col("least").alias("other_least"),
        F.col("place").alias("other_place"),
    )
    last = F.coalesce(_slice_of("texts", max_texts), F.lit(0))
    heads = (
        listed.where(F.col("place") <= max_texts)
        .join(hot_shingles(listed, max_texts), "shingle", "left")
        .select(
            "shingle",
            F.explode(F.sequence(F.lit(0), last)).alias("slice"),
            F.col("key").alias("one"),
            F.col("least").alias("one_least"),
            "place",
        )
    )
    shared = (
        heads.join(others, ["shingle", "slice"])
        .where("place < other_place")
        .groupBy("one", "other")
        .agg(
            F.count(F.lit(1)).alias("shared"),
            F.max(F.greatest("one_least", "other_least")).alias("least"),
        )
    )
    return (
        shared.join(_uncounted(listed, max_texts), "one", "left")
        .where(F.col("shared") + F.coalesce("uncounted", F.lit(0)) >= F.col("least"))
        .select("one", "other")
    )


def hot_shingles(listed: DataFrame, max_texts: int = MAX_TEXTS) -> DataFrame:
    """Return the shingles of more texts, `shingle` and `texts`: what was found by them is bounded.

    Args:
        listed: Postings.
        max_texts: Texts that the others are compared with.
    """
    beyond = listed.where(F.col("place") > max_texts)
    return beyond.groupBy("shingle").agg(F.max("place").alias("texts"))


def _slice_of(name: str, max_texts: int) -> Column:
    """Return in which slice of a list a place is."""
    return F.floor((F.col(name) - 1) / max_texts).cast("int")


def _uncounted(listed: DataFrame, max_texts: int) -> DataFrame:
    """Return of how many long lists a text is no first one: what it shares there is not counted."""
    return (
        listed.where(F.col("place") > max_texts)
        .groupBy(F.col("key").alias("one"))
        .agg(F.count(F.lit(1)).alias("uncounted"))
    )
