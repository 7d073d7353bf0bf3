"""Options that say what is read from the texts."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from es_simhash.semantics.scheme import DEFAULT_SEMANTICS, NO_VECTORS, WORD_VECTORS, SemanticScheme
from es_simhash.semantics.vocabulary.files import vocabulary_digest

Command = TypeVar("Command", bound=Callable[..., Any])

vocabulary_option = click.option(
    "--vocabulary",
    type=click.Path(exists=True, dir_okay=False),
    help="Synonyms (.txt) or a SKOS taxonomy (.ttl, .rdf, .jsonld) that evidence takes names from.",
)

_SEMANTICS = (
    click.option(
        "--extractor",
        help="What finds entities and words: builtin, builtin+jieba+wordfreq, or spacy: and the "
        "name of a pipeline; default: builtin with those of the two packages that are installed.",
    ),
    click.option(
        "--vectors",
        default=WORD_VECTORS,
        show_default=True,
        help=f"Where vectors come from: the table, {NO_VECTORS}, field:NAME for a dense_vector "
        "field of yours, python:MODULE:FUNCTION for a function that takes a list of texts.",
    ),
    click.option(
        "--dims",
        type=click.IntRange(8, 4096),
        default=SemanticScheme.dims,
        show_default=True,
        help="Dimensions of the vectors of such a function.",
    ),
    click.option("--language", default="", help="ISO 639-1 code of all texts; default: guessed."),
    click.option(
        "--entity-field",
        "entity_fields",
        multiple=True,
        help="Field that holds entities already; may be repeated.",
    ),
)


def semantic_options(command: Command) -> Command:
    """Add the options of what is read from the texts; `meaning_of` takes what they give."""
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
    """Return the scheme the options describe.

    Raises:
        SchemeError: There is no such extractor, or no such source of vectors.
        InputError: The vocabulary cannot be read.
    """
    digest = vocabulary_digest(vocabulary) if vocabulary else ""
    found = extractor or DEFAULT_SEMANTICS.extractor
    return SemanticScheme(found, vectors, dims, language, entity_fields, digest)
