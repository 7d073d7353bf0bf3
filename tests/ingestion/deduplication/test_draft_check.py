"""A draft is decided as ingest would decide it, and nothing is written."""

from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.ingestion.ingest import ingest
from es_simhash.store.installation.document_settings import configure
from tests.support.library import fill
from tests.support.shelf import revised, text

pytestmark = pytest.mark.cluster


def check(client: Any, index: str) -> Any:
    from es_simhash.ingestion.deduplication.draft_check import DraftCheck
    from es_simhash.questions.index import Index

    opened = Index(client, index)
    return DraftCheck(opened.store, opened.config)


@pytest.mark.long
def test_a_draft_is_decided_as_a_dry_run_decides_a_document(client: Any, index: str) -> None:
    from es_simhash.ingestion.deduplication.version_policy import DryRunPolicy
    from es_simhash.ingestion.deduplication.version_rules import OnVersion

    stored = [{"id": f"d{number}", "text": text(number)} for number in range(5)]
    fill(client, index, *stored, semantics=None)
    before = client.count(index=index)["count"]
    first = text(0)
    half = " ".join(first.split()[: len(first.split()) // 2])
    drafts = [first, first.upper(), text(77), half, f"{first} {text(4)}"]
    drafts += [revised(text(number), number + 1) for number in range(4)]
    drafts += [first + " It has 4711 more."]
    rules = (OnVersion("skip"), OnVersion("skip", lose=1), OnVersion("skip", kinds=("excerpt_of",)))
    for each in rules:
        for draft in drafts:
            with DryRunPolicy(client, index, each) as policy:
                (expected,) = policy.decide([{"_id": "draft", "text": draft}])
            found = check(client, index).decide(draft, each)
            assert (found.action, found.other, found.lost) == (
                expected.action, expected.other, expected.lost
            )  # fmt: skip
            assert found.relation == expected.relation
    client.indices.refresh(index=index)
    assert client.count(index=index)["count"] == before


def test_only_documents_that_match_count(client: Any, index: str) -> None:
    from es_simhash.ingestion.deduplication.version_rules import OnVersion

    documents = [{"id": id, "text": text(1)} for id in ("a", "b")]
    fill(client, index, *documents, semantics=None)
    only = {"ids": {"values": ["b"]}}
    rules = OnVersion("skip")
    assert check(client, index).decide(text(1), rules).other == "a"
    assert check(client, index).decide(text(1), rules, filters=(only,)).other == "b"
    none = {"ids": {"values": []}}
    assert check(client, index).decide(text(1), rules, filters=(none,)).action == "write"


def test_only_documents_of_the_same_values_count(client: Any, index: str) -> None:
    from es_simhash.ingestion.deduplication.version_rules import OnVersion

    client.indices.put_mapping(index=index, properties={"owner": {"type": "keyword"}})
    owners = {"a": "x", "b": ["y", "7"], "c": None}
    documents = [{"id": id, "text": text(1), "owner": owner} for id, owner in owners.items()]
    fill(client, index, *documents, semantics=None)
    rules = OnVersion("skip")
    with pytest.raises(
        InputError, match=f"Index '{index}' has no field.*`es-simhash config {index}"
    ):
        check(client, index).decide(text(1), rules, within="x")
    configure(client, index, {"within": "owner"})
    draft = check(client, index)
    assert draft.decide(text(1), rules).other == "a"
    for within, other in (("x", "a"), (["x"], "a"), ([7, "y"], "b"), ("y", None), ((), "c")):
        assert draft.decide(text(1), rules, within=within).other == other
    # Searches do not know yet whose it is now.
    client.indices.put_settings(index=index, settings={"refresh_interval": -1})
    client.update(index=index, id="a", doc={"owner": "z"})
    assert draft.decide(text(1), rules).other == "a"
    assert draft.decide(text(1), rules, within="x").action == "write"


def test_a_text_without_words_is_an_error(client: Any, index: str) -> None:
    from es_simhash.ingestion.deduplication.version_rules import OnVersion

    with pytest.raises(InputError, match="no words"):
        check(client, index).decide("…", OnVersion("skip"))


@pytest.mark.long
@pytest.mark.parametrize("what", ["deleted", "changed", "text changed alone"])
def test_a_version_that_is_not_there_any_more_makes_way_for_the_next(
    client: Any, index: str, what: str
) -> None:
    from es_simhash.ingestion.deduplication.version_rules import OnVersion

    draft = text(1)
    near, far = revised(draft, 2), f"{revised(draft, 3)} {text(9)[:200]}"
    fill(client, index, {"id": "near", "text": near}, {"id": "far", "text": far}, semantics=None)
    rules = OnVersion("skip")
    assert check(client, index).decide(draft, rules).other == "near"
    # Searches do not know it yet.
    client.indices.put_settings(index=index, settings={"refresh_interval": -1})
    if what == "deleted":
        client.delete(index=index, id="near")
    elif what == "text changed alone":
        client.update(index=index, id="near", doc={"text": text(5)})
    else:
        changed = [{"id": "near", "text": text(5)}]
        assert all(each.ok for each in ingest(client, index, changed))
    assert check(client, index).decide(draft, rules).other == "far"
    assert check(client, index).decide(near, rules).other == "far"
    client.delete(index=index, id="far")
    assert check(client, index).decide(draft, rules).action == "write"
