"""Pairs of texts of a frame that are versions of each other."""

from es_simhash.spark.candidates import MAX_TEXTS
from es_simhash.spark.engine import DataFrame, kept
from es_simhash.spark.fingerprints import fingerprinted
from es_simhash.spark.links import VersionPairs, linked_texts
from es_simhash.spark.texts import SIMHASH, FrameColumns, compared_documents, distinct_texts
from es_simhash.store.config import IndexConfig


def version_pairs(
    frame: DataFrame,
    config: IndexConfig | None = None,
    *,
    max_texts: int = MAX_TEXTS,
) -> VersionPairs:
    """Return the pairs of texts of a frame that are linked as versions, as `families` links them.

    Args:
        frame: The documents; without the column `simhash` their texts are fingerprinted.
        config: Column of the text, the scheme, and where versions begin.
        max_texts: Texts of a shingle that all others with it are compared with.

    Raises:
        InputError: There is no column of the text, or it holds none.
    """
    config = config or IndexConfig()
    read = fingerprinted(frame, config).where(f"{SIMHASH}.content_hash is not null")
    # Documents of one text count once, whatever their ids.
    columns = FrameColumns(id=f"{SIMHASH}.content_hash")
    documents = compared_documents(read, columns, config.scheme)
    return linked_texts(kept(distinct_texts(documents)), config.versions_from, max_texts=max_texts)
