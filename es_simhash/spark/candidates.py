"""Pairs of texts that share shingles, by a join; what many texts have is divided and bounded."""

from es_simhash.spark.engine import DataFrame, F, Window

# Texts of a posting list that the others of it are compared with; as in a run over an index.
MAX_TEXTS = 2000


def postings(texts: DataFrame) -> DataFrame:
    """Return each shingle of each text, with the place of the text in the list of the shingle.

    Args:
        texts: Texts with `key`, `asked` and `least`.
    """
    exploded = texts.select("key", "least", F.explode("asked").alias("shingle"))
    listed = Window.partitionBy("shingle")
    return exploded.select(
        "*",
        F.row_number().over(listed.orderBy("key")).alias("place"),
        F.count(F.lit(1)).over(listed).alias("texts"),
    )


def candidate_pairs(listed: DataFrame, max_texts: int = MAX_TEXTS) -> DataFrame:
    """Return the pairs of texts, `one` and `other`, that share enough shingles to be compared.

    The texts of a longer list are paired with the first of it alone, in slices, so that no task
    takes the time of all. Whatever else two such texts share counts in full.

    Args:
        listed: Postings.
        max_texts: How many these are.
    """
    slices = F.floor((F.col("place") - 1) / max_texts).cast("int")
    others = listed.where("texts > 1").select(
        "shingle",
        slices.alias("slice"),
        F.col("key").alias("other"),
        F.col("least").alias("other_least"),
        F.col("place").alias("other_place"),
    )
    last = F.floor((F.col("texts") - 1) / max_texts).cast("int")
    heads = listed.where((F.col("texts") > 1) & (F.col("place") <= max_texts)).select(
        "shingle",
        F.explode(F.sequence(F.lit(0), last)).alias("slice"),
        F.col("key").alias("one"),
        F.col("least").alias("one_least"),
        "place",
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
    return listed.where((F.col("place") == 1) & (F.col("texts") > max_texts)).select(
        "shingle", "texts"
    )


def _uncounted(listed: DataFrame, max_texts: int) -> DataFrame:
    """Return of how many long lists a text is no first one: what it shares there is not counted."""
    return (
        listed.where(F.col("place") > max_texts)
        .groupBy(F.col("key").alias("one"))
        .agg(F.count(F.lit(1)).alias("uncounted"))
    )
