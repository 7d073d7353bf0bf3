"""Vocabularies from files: synonyms, taxonomies, or the form that was kept of one."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.semantics.vocabulary.labels import decode, primary_language, read_bytes
from es_simhash.semantics.vocabulary.synonyms import read_synonyms
from es_simhash.semantics.vocabulary.taxonomy import read_taxonomy
from es_simhash.semantics.vocabulary.vocabulary import DECAY, FORMAT, LANGUAGE, LEVELS, Vocabulary

_SYNONYMS = (".txt", ".syn")
_TAXONOMIES = (".ttl", ".rdf", ".xml", ".owl", ".jsonld", ".json")
# `to_json` writes the name of its form first.
_KEPT = f'{{"format":"{FORMAT}"'


def load_vocabulary(
    path: str | Path, language: str = LANGUAGE, *, decay: float = DECAY, levels: int = LEVELS
) -> Vocabulary:
    """Return the vocabulary of a file, told by its suffix; a file that stays as it is is read once.

    Args:
        path: Synonyms (.txt, .syn), a SKOS taxonomy (.ttl, .rdf, .xml, .owl, .jsonld, .json), or
            what `Vocabulary.to_json` wrote (.json).
        language: Language of the synonyms, or the one wanted of the taxonomy.
        decay: What a broader concept gets of a narrower one's weight, for each level.
        levels: How many levels up concepts count.

    Raises:
        MissingExtra: The file is a taxonomy, and rdflib is not installed.
        InputError: The file cannot be read.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _SYNONYMS + _TAXONOMIES:
        raise InputError(
            f"{path} is no vocabulary by its suffix {suffix!r}: give a file that ends in "
            f"{', '.join(_SYNONYMS)} (synonyms) or {', '.join(_TAXONOMIES)} (taxonomy)."
        )
    return _load(path, primary_language(language), decay, levels, _stamp(path))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        return path.stat().st_mtime_ns, path.stat().st_size
    except OSError:
        return 0, 0  # reading it says what is wrong


@lru_cache(maxsize=4)
def _load(
    path: Path, language: str, decay: float, levels: int, _stamp: tuple[int, int]
) -> Vocabulary:
    suffix = path.suffix.lower()
    if suffix in _SYNONYMS:
        return replace(read_synonyms(path, language), decay=decay, levels=levels)
    if suffix == ".json" and (content := decode(read_bytes(path), path)).startswith(_KEPT):
        return replace(_kept(content, path), language=language, decay=decay, levels=levels)
    return read_taxonomy(path, language, decay=decay, levels=levels)


def _kept(content: str, path: Path) -> Vocabulary:
    try:
        return Vocabulary.from_json(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
