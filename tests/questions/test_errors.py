"""Refusals of the library: the right kind of our errors, with the cause kept."""

from typing import Any

import elasticsearch
import pytest

from es_simhash import (
    ClusterError,
    DocumentMissing,
    IndexMissing,
    InputError,
    MappingConflict,
    SchemeError,
    SchemeMismatch,
)
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.questions.index import Index
from es_simhash.store.options import SearchOptions
from es_simhash.text.limits import MAX_TEXT_BYTES

pytestmark = pytest.mark.cluster

TEXT = "The tide tables hang beside the door of the pilots' house until the new year."


def related(client: Any, index: str, **asked: Any) -> Any:
    return Index(client, index).related(**asked)


@pytest.mark.parametrize("asked", [{"id": "1"}, {"text": TEXT}])
def test_an_index_that_is_missing(client: Any, index_name: str, asked: dict[str, str]) -> None:
    sentence = rf"'{index_name}' does not exist\. Name another, or create it"
    with pytest.raises(IndexMissing, match=sentence):
        related(client, index_name, **asked)


def test_ingest_needs_our_fields(client: Any, index_name: str) -> None:
    from es_simhash.ingestion.ingest import ingest

    with pytest.raises(IndexMissing, match=index_name):
        list(ingest(client, index_name, [{"text": TEXT}]))
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match="no fingerprint fields"):
        list(ingest(client, index_name, [{"text": TEXT}]))


def test_ingest_refuses_another_scheme(client: Any, filled: Any) -> None:
    from es_simhash import IngestSettings
    from es_simhash.ingestion.ingest import ingest

    name = filled({"id": "1", "text": TEXT})
    settings = IngestSettings(require_scheme=Scheme(blocks=16))
    with pytest.raises(SchemeMismatch, match=r"b8\..*b16\."):
        list(ingest(client, name, [{"text": TEXT}], settings=settings))


def test_a_document_that_is_missing(client: Any, filled: Any) -> None:
    name = filled({"id": "1", "text": TEXT})
    with pytest.raises(DocumentMissing, match=rf"'absent' is not in index '{name}'"):
        related(client, name, id="absent")


def test_a_closed_index(client: Any, filled: Any) -> None:
    name = filled({"id": "1", "text": TEXT})
    client.indices.close(index=name)
    for asked in ({"id": "1"}, {"text": TEXT}):
        with pytest.raises(ClusterError, match="closed"):
            related(client, name, **asked)


def test_a_k_that_the_scheme_cannot_promise(client: Any, filled: Any) -> None:
    name = filled({"id": "1", "text": TEXT})
    with pytest.raises(SchemeError, match="0 to 7, not 8"):
        related(client, name, id="1", options=SearchOptions(k=8))


def test_a_filter_that_is_refused(client: Any, filled: Any) -> None:
    name = filled({"id": "1", "text": TEXT})
    with pytest.raises(ClusterError, match=r"unknown (query|field) \[nope\]"):
        related(client, name, id="1", options=SearchOptions(filters=({"nope": {}},)))


@pytest.mark.long
def test_a_text_too_long(client: Any, filled: Any) -> None:
    name = filled({"id": "1", "text": TEXT})
    with pytest.raises(InputError, match="more than the 16"):
        related(client, name, text="a" * (MAX_TEXT_BYTES + 1))
    with pytest.raises(InputError, match="The text has 20001 chunks"):
        related(client, name, text="One two three four five six seven eight. " * 20_001)


def test_the_cause_is_kept(client: Any, index_name: str) -> None:
    with pytest.raises(IndexMissing) as raised:
        related(client, index_name, text=TEXT)
    assert isinstance(raised.value.__cause__, elasticsearch.NotFoundError)


def test_a_hit_whose_text_was_changed_to_a_number_is_shown_without_passages(
    client: Any, filled: Any
) -> None:
    # The user's own application may write anything into its fields later.
    name = filled({"id": "1", "text": TEXT}, {"id": "2", "text": TEXT})
    client.update(index=name, id="2", doc={"text": 5}, refresh=True)
    [hit] = related(client, name, id="1")
    assert (hit.id, hit.kind, hit.evidence) == ("2", "exact", ())
