"""Options of the semantic features of texts."""

import click

from es_simhash.cli.options import Command
from es_simhash.semantics.semantic_scheme import (
    DEFAULT_SEMANTICS,
    NO_VECTORS,
    WORD_VECTORS,
    SemanticScheme,
)
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest

_SEMANTICS = (
    click.option(
        "--extractor",
        show_default="builtin, with jieba and wordfreq if installed",
        help="Extractor of entities and words: builtin, builtin+jieba+wordfreq, or spacy:PIPELINE.",
    ),
    click.option(
        "--vectors",
        default=WORD_VECTORS,
        show_default=True,
        help=f"Source of vectors: {WORD_VECTORS} (the shipped table), {NO_VECTORS}, field:NAME (a "
        "dense_vector field of the documents), or python:MODULE:FUNCTION (takes a list of texts).",
    ),
    click.option(
        "--dims",
        type=click.IntRange(8, 4096),
        default=SemanticScheme.dims,
        show_default=True,
        help="Dimensions of the vectors of a Python function.",
    ),
    click.option(
        "--language",
        default="",
        show_default="detected for each text",
        help="ISO 639-1 code of the language of all texts.",
    ),
    click.option(
        "--entity-field",
        "entity_fields",
        multiple=True,
        help="Field that contains entities; repeatable.",
    ),
)


def semantic_options(command: Command) -> Command:
    """Add the options; `semantics_of` takes their values."""
    for option in reversed(_SEMANTICS):
        command = option(command)
    return command


def semantics_of(
    *,
    extractor: str | None,
    vectors: str,
    dims: int,
    language: str,
    entity_fields: tuple[str, ...],
    vocabulary: str | None = None,
) -> SemanticScheme:
    """Return the semantic scheme of the options.

    Raises:
        SchemeError: There is no such extractor, or no such source of vectors.
        InputError: The vocabulary cannot be read.
    """
    digest = vocabulary_digest(vocabulary) if vocabulary else ""
    extractor = extractor or DEFAULT_SEMANTICS.extractor
    return SemanticScheme(extractor, vectors, dims, language, entity_fields, digest)
