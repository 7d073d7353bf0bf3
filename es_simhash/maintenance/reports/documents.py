"""The documents that a report names: representatives of large families, and the newest versions."""

from collections.abc import Sequence
from dataclasses import replace

from es_simhash.maintenance.reports.index_report import (
    LargeFamily,
    NewestVersions,
    NewVersion,
    ReportedDocument,
)
from es_simhash.questions.document_contexts import Contexts
from es_simhash.questions.family_members import MAX_MEMBERS, represented, version_order
from es_simhash.relation.relation import DocumentContext
from es_simhash.store.dates import Date, DateField
from es_simhash.store.intents import Find, FindIndexState, MeasureFamilies, Parts, Where
from es_simhash.store.own_texts import ask_readable
from es_simhash.store.protocol import Steps, ask
from es_simhash.store.rows import FamilySpan, Row, Rows
from es_simhash.store.state_entries import FamilyRule

# The newest documents that are looked at, and the versions among them that are named.
_NEWEST, _VERSIONS = 1_000, 12


def large_families(
    families: Sequence[tuple[str, int]], where: Where, contexts: Contexts
) -> Steps[tuple[LargeFamily, ...]]:
    """Return families with their representatives; without those that have vanished.

    Args:
        families: Name and number of documents of each.
        where: Conditions that documents must match.
        contexts: Reads what the index says of the representatives.
    """
    if not families:
        return ()
    names = tuple(name for name, _ in families)
    finds = [_find_representative(replace(where, families=(name,)), contexts) for name in names]
    measured = MeasureFamilies(names, where, contexts.date_field)
    *answers, spans = yield from ask_readable([*finds, measured], contexts.config.scheme)
    # Without filters the stored one is there.
    last = (yield from ask(FindIndexState())).family_rule if where.filters else None
    found = []
    for name, answer in zip(names, answers, strict=True):
        of_family = replace(where, families=(name,))
        found.append((yield from _representative(answer, of_family, contexts, last)))
    contexts.keep(row for rows in found for row in rows)
    return tuple(
        LargeFamily(
            name,
            size,
            _reported(row, contexts),
            _text(span.oldest, contexts.date_field),
            _text(span.newest, contexts.date_field),
        )
        for (name, size), rows in zip(families, found, strict=True)
        for span in [spans.get(name, FamilySpan(0))]
        for row in rows
    )


def _find_representative(where: Where, contexts: Contexts) -> Find:
    """Return the request for who represents a family; with filters for all that may."""
    if not where.filters:
        return Find(where, contexts.parts, 1, ("representative",))
    return Find(where, replace(contexts.parts, members=True, stored=True), MAX_MEMBERS, ())


def _representative(
    answer: Rows, where: Where, contexts: Contexts, last: FamilyRule | None
) -> Steps[Sequence[Row]]:
    """Return the one document that represents a family; none of one that has vanished."""
    rows = sorted(answer.rows, key=version_order)
    if where.filters and rows:
        # The stored one may be among those that are left out.
        rows = yield from represented(rows, where, contexts.date_field, last, contexts.config)
        return [next((row for row in rows if row.represents), rows[0])]
    return rows


def newest_versions(where: Where, contexts: Contexts, date: DateField) -> Steps[NewestVersions]:
    """Return the newest documents that are newer than another of their family, one of each.

    Args:
        where: Conditions that documents must match.
        contexts: Reads what the index says of the documents.
        date: Field of the dates.
    """
    dated = replace(where, has_family=True, has_fields=(date.name,))
    parts = Parts(family=True, date=date)
    newest = yield from ask(Find(dated, parts, _NEWEST, ("newest",), date=date))
    names = tuple(sorted({row.family for row in newest.rows if row.family is not None}))
    spans = yield from ask(MeasureFamilies(names, where, date))
    versions: list[tuple[Row, FamilySpan, Date]] = []
    for row in newest.rows:
        # The newest of a family comes first, and stands for the others.
        span = None if row.family is None else spans.pop(row.family, None)
        if span is None or span.oldest is None or row.date is None:
            continue
        if row.date > span.oldest and len(versions) < _VERSIONS:
            versions.append((row, span, span.oldest))
    yield from contexts.read([row.key for row, *_ in versions])
    return NewestVersions(
        tuple(
            NewVersion(_reported(row, contexts), span.documents, date.iso(oldest))
            for row, span, oldest in versions
        ),
        len(newest.rows),
    )


def _reported(row: Row, contexts: Contexts) -> ReportedDocument:
    # One that vanished meanwhile has its id alone.
    context = contexts.context(row.key) or DocumentContext()
    return ReportedDocument(row.id, str(row.ref.index), context)


def _text(date: Date | None, field: DateField | None) -> str | None:
    return None if date is None or field is None else field.iso(date)
