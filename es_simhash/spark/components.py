"""Connected components of a graph in a frame, by alternating stars.

Each round connects the neighbours of a node with the smallest of them, from both sides in turn
(Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii: "Connected components in MapReduce and
beyond", SoCC 2014). No node is brought together with all of its component, and the number of
rounds grows with the logarithm of the size of a component.
"""

from es_simhash.spark.engine import DataFrame, F, Window, settled


def components(edges: DataFrame) -> DataFrame:
    """Return each node of edges with the smallest node of its component: `key` and `component`.

    Args:
        edges: Pairs of numbers, `one` and `other`.
    """
    stars = settled(
        edges.where("one <> other")
        .select(F.greatest("one", "other").alias("node"), F.least("one", "other").alias("root"))
        .distinct()
    )
    known = _digest(stars)
    while known[0]:
        stars = settled(_small_stars(_large_stars(stars)))
        digest = _digest(stars)
        if digest == known:
            break
        known = digest
    roots = stars.select(F.col("root").alias("key"), F.col("root").alias("component")).distinct()
    return stars.select(F.col("node").alias("key"), F.col("root").alias("component")).union(roots)


def _digest(edges: DataFrame) -> tuple[int, int]:
    """Return how many edges there are, and a sum over them by which two states are compared."""
    row = edges.agg(
        F.count(F.lit(1)), F.sum(F.xxhash64("node", "root").cast("decimal(38,0)"))
    ).first()
    return int(row[0]), int(row[1] or 0)


def _large_stars(edges: DataFrame) -> DataFrame:
    """Connect the greater neighbours of each node with the smallest neighbour, or the node."""
    both = edges.select(
        F.explode(
            F.array(
                F.struct(F.col("node").alias("a"), F.col("root").alias("b")),
                F.struct(F.col("root").alias("a"), F.col("node").alias("b")),
            )
        ).alias("edge")
    ).select("edge.a", "edge.b")
    smallest = F.least(F.min("b").over(Window.partitionBy("a")), F.col("a"))
    return (
        both.select("a", "b", smallest.alias("root"))
        .where("b > a")
        .select(F.col("b").alias("node"), "root")
    )


def _small_stars(edges: DataFrame) -> DataFrame:
    """Connect the smaller neighbours of each node, and the node, with the smallest of them."""
    smallest = F.min("root").over(Window.partitionBy("node"))
    least = edges.select("node", "root", smallest.alias("smallest"))
    return (
        least.select(
            F.explode(F.array("node", "root")).alias("node"), F.col("smallest").alias("root")
        )
        .where("node <> root")
        .distinct()
    )
