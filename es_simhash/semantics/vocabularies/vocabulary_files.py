"""Vocabularies from files: synonyms, taxonomies, or what `Vocabulary.to_json` wrote."""

import hashlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.semantics.vocabularies.label_texts import decode, primary_language, read_bytes
from es_simhash.semantics.vocabularies.synonyms import read_synonyms
from es_simhash.semantics.vocabularies.taxonomy import read_taxonomy
from es_simhash.semantics.vocabularies.vocabulary import (
    DEFAULT_DECAY,
    DEFAULT_LANGUAGE,
    DEFAULT_LEVELS,
    VOCABULARY_FORMAT,
    Vocabulary,
)

_SYNONYMS = (".txt", ".syn")
_TAXONOMIES = (".ttl", ".rdf", ".xml", ".owl", ".jsonld", ".json")
# `to_json` writes the name of its format first.
_JSON_START = f'{{"format":"{VOCABULARY_FORMAT}"'


def load_vocabulary(
    path: str | Path,
    language: str = DEFAULT_LANGUAGE,
    *,
    decay: float = DEFAULT_DECAY,
    levels: int = DEFAULT_LEVELS,
) -> Vocabulary:
    """Return the vocabulary of a file, by its suffix; an unchanged file is read once.

    Args:
        path: Synonyms (.txt, .syn), a SKOS taxonomy (.ttl, .rdf, .xml, .owl, .jsonld, .json), or
            what `Vocabulary.to_json` wrote (.json).
        language: Language of the synonyms, or the preferred one of the taxonomy.
        decay: Share of a narrower concept's weight that a broader one gets, for each level.
        levels: Number of levels up to which concepts count.

    Raises:
        MissingExtra: The file is a taxonomy, and rdflib is not installed.
        InputError: The file cannot be read.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _SYNONYMS + _TAXONOMIES:
        raise InputError(
            f"{path} is no vocabulary by its suffix {suffix!r}. Name a file that ends in "
            f"{', '.join(_SYNONYMS)} (synonyms) or {', '.join(_TAXONOMIES)} (taxonomy)."
        )
    return _load(path, primary_language(language), decay, levels, _stamp(path))


def vocabulary_digest(path: str) -> str:
    """Return the digest by which a scheme names the vocabulary in a file.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(
            f"The vocabulary {path} cannot be read ({error.strerror}); name another file.",
            parameter="vocabulary",
        ) from error


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
    if suffix == ".json" and (content := decode(read_bytes(path), path)).startswith(_JSON_START):
        return replace(_from_json(content, path), language=language, decay=decay, levels=levels)
    return read_taxonomy(path, language, decay=decay, levels=levels)


def _from_json(content: str, path: Path) -> Vocabulary:
    try:
        return Vocabulary.from_json(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
