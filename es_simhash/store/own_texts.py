"""Documents whose stored parts cannot be read: their own texts take the place of these."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from es_simhash.errors import EsSimhashError, UnreadableParts
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.candidate import Candidate, ScoredText
from es_simhash.relation.references import DocumentRef, Key
from es_simhash.relation.stored_text import StoredParts
from es_simhash.store.codec import REPAIR, PackedText
from es_simhash.store.intents import DocumentsAt, Parts, Request
from es_simhash.store.protocol import Result, Steps, ask
from es_simhash.store.rows import Neighbour, Row, Rows, SimilarTexts, TextHits
from es_simhash.text.limits import is_too_long

_logger = logging.getLogger(__name__)


def with_own_texts(steps: Steps[Result], scheme: Scheme) -> Steps[Result]:
    """Return the result of steps that are sent only what they can read.

    Where another program has written what is stored of a document, that is computed from its text.
    Documents whose parts are missing count among them, as they are found by their shingles.

    Args:
        steps: The steps.
        scheme: Of the index.

    Raises:
        UnreadableParts: What is stored of a document cannot be read, and it has no text.
    """
    try:
        requests = next(steps)
        while True:
            try:
                answers = yield requests
            except EsSimhashError as error:
                requests = steps.throw(error)
            else:
                readable = yield from _readable(answers, scheme)
                requests = steps.send(readable)
    except StopIteration as stop:
        result: Result = stop.value
        return result


def ask_readable(requests: Sequence[Request[Any]], scheme: Scheme) -> Steps[list[Any]]:
    """Ask requests together, and return answers that can be read; see `with_own_texts`."""
    answers = yield requests
    return (yield from _readable(answers, scheme))


def is_readable_text(text: ScoredText) -> bool:
    """Check whether all parts of a text can be read."""
    return _error(text) is None


def _error(text: ScoredText) -> UnreadableParts | None:
    # Others were computed from their texts.
    if not isinstance(text, PackedText):
        return None
    try:
        text.read()
    except UnreadableParts as error:
        return error
    return None


def _readable(answers: Sequence[Any], scheme: Scheme) -> Steps[list[Any]]:
    """Return answers in which what cannot be read is replaced."""
    damaged = {
        ref: error
        for answer in answers
        for ref, text in _texts(answer)
        if (error := _error(text)) is not None
    }
    if not damaged:
        return list(answers)
    own = yield from _own_texts(damaged, scheme)
    return [_replaced(answer, own) for answer in answers]


def _texts(answer: Any) -> Iterator[tuple[DocumentRef, ScoredText]]:
    """Yield what documents of an answer are scored by, as far as they have it."""
    match answer:
        case SimilarTexts() | TextHits():
            for found in _found(answer):
                if found.text is not None:
                    yield _place(found, answer.places), found.text
        case Rows():
            for row in answer.rows:
                if row.stored is not None:
                    yield row.ref, row.stored


def _found(answer: SimilarTexts | TextHits) -> Iterable[Candidate | Neighbour]:
    if isinstance(answer, TextHits):
        return answer.neighbours
    return [*answer.sharing, *answer.within_k]


def _place(found: Candidate | Neighbour, places: Mapping[Key, DocumentRef]) -> DocumentRef:
    return places.get((found.index, found.id)) or DocumentRef(found.index, str(found.id))


def _own_texts(
    damaged: Mapping[DocumentRef, UnreadableParts], scheme: Scheme
) -> Steps[dict[DocumentRef, StoredParts]]:
    """Return what is stored of documents, computed from their texts.

    Raises:
        UnreadableParts: One of them has no text.
    """
    refs = tuple(sorted(damaged))
    _logger.warning(
        "What is stored of %d documents cannot be read, of %r for one; their texts are read. %s",
        len(refs),
        refs[0].id,
        REPAIR,
        extra={"event": "damaged", "documents": len(refs)},
    )
    rows = yield from ask(DocumentsAt(refs, Parts(text=True)))
    texts = (rows.get(ref, Row(ref)).text or "" for ref in refs)
    computed = TextAnalyser(scheme).stored_parts(
        "" if is_too_long(text) else text for text in texts
    )
    own = {}
    for ref, parts in zip(refs, computed, strict=True):
        if parts is None:
            raise damaged[ref]
        own[ref] = parts
    return own


def _replaced(answer: Any, own: Mapping[DocumentRef, StoredParts]) -> Any:
    match answer:
        case SimilarTexts(sharing, within_k):
            return replace(
                answer,
                sharing=[_with_own_text(each, answer.places, own) for each in sharing],
                within_k=[_with_own_text(each, answer.places, own) for each in within_k],
            )
        case TextHits(neighbours):
            texts = [_with_own_text(each, answer.places, own) for each in neighbours]
            return replace(answer, neighbours=texts)
        case Rows(rows):
            stored = [row._replace(stored=own.get(row.ref, row.stored)) for row in rows]
            return replace(answer, rows=stored)
    return answer


def _with_own_text(
    found: Any, places: Mapping[Key, DocumentRef], own: Mapping[DocumentRef, StoredParts]
) -> Any:
    return replace(found, text=own.get(_place(found, places), found.text))
