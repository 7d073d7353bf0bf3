"""Changes, history and blame of documents in an index, and in a sidecar."""

from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash import (
    DocumentAmbiguous,
    DocumentMissing,
    Index,
    IndexConfig,
    InputError,
    MappingConflict,
    changes,
)
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.index import open_index
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_text

pytestmark = pytest.mark.cluster

BASE = make_text(1, 300)
CLAUSES = [
    f"The fee of the {what} is due within {days} days of the invoice, at the office of the owner."
    for what, days in (("roof", 16), ("garden", 20), ("cellar", 24))
]
# Ids as they come: with spaces, slashes, a leading dash. Ids are not in the order of the dates.
VERSIONS = {
    "terms/2020 first": ("2020-01-01", [BASE, *CLAUSES[:2]]),
    "-terms-2021": ("2021-06-30T12:00:00Z", [BASE, CLAUSES[0].replace("16", "18"), CLAUSES[1]]),
    "a terms 2022": ("2022-01-01", [BASE, CLAUSES[0].replace("16", "18"), *CLAUSES[1:]]),
}
FIRST, SECOND, THIRD = VERSIONS


def text(id: str) -> str:
    return "\n\n".join(VERSIONS[id][1])


def documents() -> Iterator[dict[str, Any]]:
    for id, (date, _) in VERSIONS.items():
        yield {"id": id, "text": text(id), "published": date}
    yield {"id": "other", "text": make_text(2, 300), "published": "2020-01-01"}


@pytest.fixture
def terms(client: Any, index_name: str) -> Index:
    from es_simhash.ingestion.ingest import ingest

    client.indices.create(
        index=index_name, mappings={"properties": {"published": {"type": "date"}}}
    )
    install(client, index_name, semantics=None)
    assert all(outcome.ok for outcome in ingest(client, index_name, documents()))
    find_families(client, index_name)
    client.indices.refresh(index=index_name)
    return Index(client, index_name)


def test_changes_of_two_documents_are_those_of_their_texts(terms: Index) -> None:
    found = terms.changes(FIRST, SECOND)
    assert found == changes(text(FIRST), text(SECOND))
    assert [(each.a and each.a.text, each.b and each.b.text) for each in found.key_changes] == [
        ("16", "18")
    ]
    assert terms.changes(FIRST, FIRST).summary.identical
    assert "nothing in common" in str(terms.changes(FIRST, "other").summary)


def test_a_missing_id_is_named(terms: Index) -> None:
    with pytest.raises(DocumentMissing, match="'no such/id' is not in index"):
        terms.changes(FIRST, "no such/id")
    for ask in (terms.history, terms.blame):
        with pytest.raises(DocumentMissing, match="no document and no family 'no such/id'"):
            ask("no such/id")


def test_an_id_of_several_indices_behind_a_name_is_refused(terms: Index, client: Any) -> None:
    from es_simhash.ingestion.ingest import ingest

    other, alias = f"{terms.name}-other", f"{terms.name}-all"
    try:
        mappings = {"properties": {"published": {"type": "date"}}}
        client.indices.create(index=other, mappings=mappings)
        install(client, other, semantics=None)
        twin = {"id": FIRST, "text": make_text(4, 300), "published": "2020-01-01"}
        assert all(outcome.ok for outcome in ingest(client, other, [twin]))
        find_families(client, other)
        client.indices.refresh(index=other)
        for name in (terms.name, other):
            client.indices.put_alias(index=name, name=alias)
        every = Index(client, alias)
        for question in (
            lambda: every.history(FIRST),
            lambda: every.blame(FIRST),
            lambda: every.timeline(FIRST, SECOND, date_field="published"),
            lambda: every.timeline(SECOND, FIRST, date_field="published"),
            lambda: every.family(FIRST),
        ):
            with pytest.raises(DocumentAmbiguous, match=f"several indices behind '{alias}'"):
                question()
        found = every.history(SECOND, date_field="published")
        assert [version.id for version in found.versions] == list(VERSIONS)
        # What a filter hides is not there.
        own = [{"term": {"_index": terms.name}}]
        assert every.timeline(FIRST, SECOND, date_field="published", filters=own) is not None
    finally:
        client.indices.delete(index=f"{other},{other}-simhash", ignore_unavailable=True)


def test_a_field_without_texts_is_named(terms: Index, client: Any) -> None:
    other = Index(client, terms.name, IndexConfig(text_field="body"))
    with pytest.raises(InputError, match="has no text in field 'body'"):
        other.changes(FIRST, SECOND)


@pytest.mark.parametrize("id", VERSIONS)
def test_the_history_is_by_date_whichever_member_is_named(terms: Index, id: str) -> None:
    found = terms.history(id, date_field="published")
    assert [(version.id, version.date) for version in found.versions] == [
        (FIRST, "2020-01-01"),
        (SECOND, "2021-06-30T12:00:00Z"),
        (THIRD, "2022-01-01"),
    ]
    assert [step.changes for step in found.steps] == [
        changes(text(FIRST), text(SECOND)),
        changes(text(SECOND), text(THIRD)),
    ]
    assert terms.history(found.family, date_field="published") == found
    assert (found.date_field, found.undated) == ("published", ())


def test_without_a_date_field_the_order_is_that_of_the_ids(terms: Index) -> None:
    found = terms.history(FIRST)
    assert [version.id for version in found.versions] == sorted(VERSIONS)
    assert found.date_field is None
    assert {version.date for version in found.versions} == {None}


def test_the_date_field_of_the_index_is_used(terms: Index, client: Any) -> None:
    from es_simhash.store.installation.document_settings import configure

    configure(client, terms.name, {"date": "published"})
    found = Index(client, terms.name).history(FIRST)
    assert [version.id for version in found.versions] == list(VERSIONS)


def test_versions_without_a_date_come_first_and_are_named(terms: Index, client: Any) -> None:
    client.update(index=terms.name, id=THIRD, doc={"published": None}, refresh=True)
    found = terms.history(SECOND, date_field="published")
    assert [version.id for version in found.versions] == [THIRD, FIRST, SECOND]
    assert found.undated == (THIRD,)


def test_equal_dates_are_in_the_order_of_the_ids(terms: Index, client: Any) -> None:
    for id in VERSIONS:
        client.update(index=terms.name, id=id, doc={"published": "2020-01-01"}, refresh=True)
    found = terms.history(SECOND, date_field="published")
    assert [version.id for version in found.versions] == sorted(VERSIONS)


def test_a_date_field_that_is_none_is_refused(terms: Index) -> None:
    with pytest.raises(InputError, match="'when'"):
        terms.history(FIRST, date_field="when")
    with pytest.raises(MappingConflict, match="not as a date"):
        terms.history(FIRST, date_field="text")


def test_a_document_without_a_family_says_what_to_run(terms: Index, client: Any) -> None:
    from es_simhash.ingestion.ingest import ingest

    late = {"id": "late", "text": make_text(3, 200)}
    assert all(outcome.ok for outcome in ingest(client, terms.name, [late]))
    client.indices.refresh(index=terms.name)
    with pytest.raises(
        InputError, match=r"'late' .* has no family yet. Run `es-simhash families run"
    ):
        terms.history("late")


def test_a_family_of_one_has_no_steps(terms: Index) -> None:
    found = terms.history("other", date_field="published")
    assert ([version.id for version in found.versions], found.steps) == (["other"], ())


def test_a_member_whose_text_is_gone_is_not_left_out(terms: Index, client: Any) -> None:
    client.update(index=terms.name, id=SECOND, doc={"text": None}, refresh=True)
    found = terms.history(FIRST, date_field="published")
    assert [str(step.changes.summary) for step in found.steps] == [
        "the newer text has no words",
        "the older text has no words",
    ]


def test_blame_says_since_when_a_sentence_stands_there(terms: Index) -> None:
    found = terms.blame(THIRD, date_field="published")
    since = {blamed.sentence.text: blamed.since.id for blamed in found.sentences}
    assert since[CLAUSES[0].replace("16", "18")] == SECOND
    assert since[CLAUSES[1]] == FIRST
    assert since[CLAUSES[2]] == THIRD
    (edited,) = found.of_text("the fee OF the roof")
    assert (edited.since.id, edited.first.id) == (SECOND, FIRST)


def test_blame_of_a_version_knows_only_the_older_ones(terms: Index) -> None:
    found = terms.blame(SECOND, date_field="published")
    assert found.version.id == SECOND
    assert [version.id for version in found.versions] == [FIRST, SECOND]
    newest = terms.blame(found.family, date_field="published")
    assert newest.version.id == THIRD


def test_a_sidecar_has_changes_and_names_the_index_that_may_have_families(
    client: Any, index_name: str
) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill

    client.indices.create(
        index=index_name, mappings={"properties": {"published": {"type": "date"}}}
    )
    for document in documents():
        client.index(index=index_name, id=document.pop("id"), document=document)
    client.indices.refresh(index=index_name)
    sidecar = f"{index_name}-sidecar"
    try:
        assert all(outcome.ok for outcome in backfill(client, index_name, sidecar=sidecar))
        client.indices.refresh(index=sidecar)
        index = open_index(client, sidecar)
        assert index.changes(FIRST, SECOND) == changes(text(FIRST), text(SECOND))
        with pytest.raises(InputError, match=f"Run `es-simhash families run {index_name}`"):
            index.history(FIRST)
    finally:
        client.indices.delete(index=f"{sidecar},{sidecar}-simhash", ignore_unavailable=True)


def test_a_timeline_takes_two_searches_and_reads_no_text(
    terms: Index, requests_of: list[str]
) -> None:
    found = terms.timeline(THIRD, SECOND, date_field="published")
    assert found is not None
    assert [version.id for version in found.versions] == [FIRST, SECOND, THIRD]
    assert (found.a, found.b, found.documents) == (THIRD, SECOND, 3)
    assert [version.date for version in found.versions][1] == "2021-06-30T12:00:00Z"
    assert found.older is not None
    assert [version.id for version in found.older] == [FIRST, SECOND]
    assert found.newer is None
    requests_of.clear()
    terms.timeline(THIRD, SECOND, date_field="published")
    assert [request.rpartition("/")[2] for request in requests_of] == ["_msearch"] * 2


def test_documents_of_no_one_family_have_no_timeline(terms: Index, client: Any) -> None:
    assert terms.timeline(FIRST, SECOND) is None
    assert terms.timeline(FIRST, "other", date_field="published") is None
    assert terms.timeline(FIRST, "no such", date_field="published") is None
    with pytest.raises(InputError, match="when"):
        terms.timeline(FIRST, SECOND, date_field="when")
    # What a filter hides is not there, also not in the count.
    hidden = {"bool": {"must_not": {"ids": {"values": [FIRST]}}}}
    found = terms.timeline(SECOND, THIRD, date_field="published", filters=[hidden])
    assert found is not None
    assert (found.documents, found.older) == (2, None)
    assert terms.timeline(FIRST, THIRD, date_field="published", filters=[hidden]) is None


@pytest.mark.long
def test_a_timeline_of_too_many_versions_has_the_newest_and_the_two(
    terms: Index, client: Any
) -> None:
    family = client.get(index=terms.name, id=FIRST)["_source"]["simhash"]["family"]
    lines: list[Any] = []
    for number in range(2_001):
        lines += [{"index": {"_id": f"n{number:04}"}}]
        lines += [{"published": f"20{30 + number // 365}-01-01", "simhash": {"family": family}}]
    client.bulk(index=terms.name, operations=lines, refresh=True)
    found = terms.timeline(FIRST, "n2000", date_field="published")
    assert found is not None
    assert found.documents == 2_004
    assert len(found.versions) == 2_001
    assert found.versions[0].id == FIRST
    assert (found.older, found.newer) == (None, None)
    both = terms.timeline(FIRST, SECOND, date_field="published")
    assert both is not None
    assert (both.older, both.newer) == (None, None)
