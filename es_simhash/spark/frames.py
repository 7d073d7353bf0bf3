"""The public names of bulk work on Spark.

>>> from es_simhash.spark.frames import families, with_fingerprints  # doctest: +SKIP
>>> found = families(with_fingerprints(spark.read.parquet("articles")))  # doctest: +SKIP
>>> found.documents.write.parquet("families")  # doctest: +SKIP
"""

from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.spark.decisions import Deduplicated, deduplicate
from es_simhash.spark.families import families
from es_simhash.spark.family_rules import FamilyRules, FrameFamilies
from es_simhash.spark.fingerprints import with_fingerprints, with_semantics
from es_simhash.spark.index_frames import (
    Cluster,
    IndexFrame,
    WrittenFamilies,
    opened_index,
    write_families,
)
from es_simhash.spark.links import VersionPairs
from es_simhash.spark.texts import FrameColumns
from es_simhash.spark.versions import version_pairs

__all__ = [
    "Cluster",
    "Deduplicated",
    "FamilyRules",
    "FrameColumns",
    "FrameFamilies",
    "IndexFrame",
    "OnVersion",
    "VersionPairs",
    "WrittenFamilies",
    "deduplicate",
    "families",
    "opened_index",
    "version_pairs",
    "with_fingerprints",
    "with_semantics",
    "write_families",
]
