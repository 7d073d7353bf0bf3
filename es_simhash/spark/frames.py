"""The public names of bulk work on Spark.

>>> from es_simhash.spark.frames import families, with_fingerprints  # doctest: +SKIP
>>> found = families(with_fingerprints(spark.read.parquet("articles")))  # doctest: +SKIP
>>> found.documents.write.parquet("families")  # doctest: +SKIP
"""

from es_simhash.spark.families import FamilyRules, FrameFamilies, families
from es_simhash.spark.fingerprints import with_fingerprints, with_semantics
from es_simhash.spark.links import VersionPairs
from es_simhash.spark.texts import FrameColumns
from es_simhash.spark.versions import version_pairs

__all__ = [
    "FamilyRules",
    "FrameColumns",
    "FrameFamilies",
    "VersionPairs",
    "families",
    "version_pairs",
    "with_fingerprints",
    "with_semantics",
]
