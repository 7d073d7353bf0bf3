"""Queries narrowed to the version family of their document, or to all others."""

from collections.abc import Sequence
from dataclasses import replace

from es_simhash.errors import InputError
from es_simhash.questions.contexts import Contexts
from es_simhash.questions.query_document import QueryDocument
from es_simhash.store import fields
from es_simhash.store.options import Query, SearchOptions


def narrowed_to_families(
    documents: Sequence[QueryDocument], options: SearchOptions, contexts: Contexts
) -> list[SearchOptions]:
    """Return the options of each query, with a filter for the families that are wanted.

    Args:
        documents: The queries.
        options: Those of all.
        contexts: Reads the families of the queries.

    Raises:
        InputError: A query is a text, or a document without a family.
    """
    if options.family == "any":
        return [options] * len(documents)
    contexts.read([document.ref.key for document in documents if document.ref is not None])
    return [_narrowed(document, options, contexts) for document in documents]


def _narrowed(document: QueryDocument, options: SearchOptions, contexts: Contexts) -> SearchOptions:
    family = None if document.ref is None else contexts.family(document.ref.key)
    if family is None:
        what = "A text" if document.ref is None else f"Document {document.ref.id!r}"
        raise InputError(
            f"{what} has no version family, so that others cannot be chosen by it. Run "
            "`es-simhash families` on the index, or set family to any.",
            parameter="family",
        )
    condition: Query = {"term": {contexts.config.path(fields.FAMILY): family}}
    if options.family == "other":
        condition = {"bool": {"must_not": [condition]}}
    return replace(options, filters=(*options.filters, condition))
