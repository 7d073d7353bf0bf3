"""`backfill` of what texts are about, beside their fingerprints."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import elasticsearch
import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.backfills.estimate import estimate
from es_simhash.questions.index import Index
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions

pytestmark = pytest.mark.cluster

ONE = BackfillSettings(
    processes=1, retry=RetryPolicy(initial_delay=0.01, max_delay=0.02, max_elapsed=0.5)
)
STRIKE = (
    "Dock workers in Saltwick walked out on Monday after talks over pay broke down, and the union "
    "led by Marion Hale warned that container ships would wait for weeks."
)
UNION = (
    "According to Marion Hale of the dock workers' union, nobody in Saltwick loads a container "
    "ship before wages rise."
)
BEES = "Beekeepers on the roofs of the old town harvest honey when the lime trees flower."
VECTORS = ("simhash.fingerprint", "simhash.concepts", "simhash.vector",
           "simhash.vector_fingerprint", "simhash.entities")  # fmt: skip


def statuses(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(each.status for each in outcomes)


def derived_fields(client: Any, index: str) -> dict[str, Mapping[str, Any]]:
    """What the engine shows of the vectors, as fields and in `_source`, by id."""
    client.indices.refresh(index=index)
    request: dict[str, Any] = {"index": index, "fields": list(VECTORS), "size": 100}
    try:
        answer = client.search(**request, source_exclude_vectors=False)
    except elasticsearch.BadRequestError:
        # Servers before 9.2 leave nothing out, and know no such parameter.
        answer = client.search(**request)
    found = {}
    for hit in answer["hits"]["hits"]:
        ours = hit["_source"]["simhash"]
        concepts = ours.get("concepts") or {}
        # In a list or not: for the index it is the same.
        ours["concepts"] = concepts[0] if isinstance(concepts, list) else concepts
        found[hit["_id"]] = {
            "source": {name: value for name, value in ours.items() if value is not None},
            "fields": hit.get("fields", {}),
        }
    return found


def neighbours(client: Any, index: str, text: str) -> list[str | None]:
    answer = Index(client, index).related(
        text=text, options=SearchOptions(kinds=("semantic",), min_score=0)
    )
    return [each.id for each in answer if each.score > 0.2]


def has_concept(term: str) -> dict[str, Any]:
    return {"term": {"simhash.concepts": {"value": term, "boost": 1.0}}}


def test_backfill_writes_all_that_ingest_writes(
    client: Any, index: str, index_name: str, write: Any
) -> None:
    write(index, {"a": {"text": STRIKE}, "b": {"text": BEES}})
    assert statuses(backfill(client, index, settings=ONE)) == {"written": 2}
    enriched = derived_fields(client, index)
    rewritten = ({"id": id, "text": text} for id, text in (("a", STRIKE), ("b", BEES)))
    list(ingest(client, index, rewritten, settings=IngestSettings(processes=1, rewrite=True)))
    assert enriched == derived_fields(client, index)
    assert {*enriched["a"]["source"]} >= {"semantic_scheme", "concepts", "vector"}


def test_neighbours_are_found_by_what_backfill_wrote(client: Any, index: str, write: Any) -> None:
    write(index, {"strike": {"text": STRIKE}, "bees": {"text": BEES}})
    assert neighbours(client, index, UNION) == []
    list(backfill(client, index, settings=ONE))
    client.indices.refresh(index=index)
    assert neighbours(client, index, UNION) == ["strike"]


def test_documents_with_fingerprints_alone_get_the_rest(
    client: Any, index_name: str, write: Any, stored: Any, expected: Any
) -> None:
    install(client, index_name, semantics=None)
    write(index_name, {"a": {"text": STRIKE}})
    list(backfill(client, index_name, settings=ONE))
    assert "semantic_scheme" not in stored(index_name)["a"]["ours"]
    kept = {"simhash": {"family": "f", "duplicate_of": "z"}}
    client.update(index=index_name, id="a", doc=kept)
    install(client, index_name)
    assert statuses(backfill(client, index_name, settings=ONE)) == {"written": 1}
    assert stored(index_name)["a"]["ours"] == {**expected(STRIKE), **kept["simhash"]}
    assert list(backfill(client, index_name, settings=ONE)) == []
    assert statuses(
        backfill(client, index_name, selection=Selection(check=True), settings=ONE)
    ) == {"unchanged": 1}


def test_profiles_of_another_scheme_are_replaced(
    client: Any, index: str, write: Any, stored: Any, expected: Any
) -> None:
    write(index, {"a": {"text": STRIKE}, "b": {"text": BEES}})
    list(backfill(client, index, settings=ONE))
    client.update(index=index, id="a", doc={"simhash": {"semantic_scheme": "an-older-one"}})
    client.indices.refresh(index=index)
    (outcome,) = backfill(client, index, settings=ONE)
    assert (outcome.id, outcome.status) == ("a", "written")
    assert stored(index)["a"]["ours"] == expected(STRIKE)


def test_nothing_of_an_old_text_is_left(client: Any, index: str, write: Any, matching: Any) -> None:
    write(index, {"a": {"text": STRIKE}})
    list(backfill(client, index, settings=ONE))
    assert matching(index, has_concept("saltwick")) == {"a"}
    client.update(index=index, id="a", doc={"text": BEES})
    assert statuses(backfill(client, index, selection=Selection(check=True), settings=ONE)) == {
        "written": 1
    }
    assert matching(index, has_concept("saltwick")) == set()
    assert matching(index, {"term": {"simhash.entities": "Marion Hale"}}) == set()
    assert matching(index, has_concept("honey")) == {"a"}
    found = derived_fields(client, index)["a"]
    assert "saltwick" not in found["source"]["concepts"]
    assert "saltwick" not in str(found["fields"])
    # The same as a document that had no text before.
    write(index, {"b": {"text": BEES}})
    list(backfill(client, index, settings=ONE))
    both = derived_fields(client, index)
    assert both["a"] == both["b"]
    # A partial update by another program writes back what the engine shows.
    client.update(index=index, id="a", doc={"n": 1})
    assert derived_fields(client, index)["a"] == both["b"]


def test_entities_that_documents_bring_are_used_and_a_wrong_one_fails_alone(
    client: Any, index_name: str, write: Any, matching: Any
) -> None:
    install(client, index_name, semantics=SemanticScheme(entity_fields=("ner.people", "places")))
    write(index_name, {
        "a": {"text": BEES, "ner": {"people": ["Ada Quill"]}, "places": "Northport"},
        "wrong": {"text": STRIKE, "ner": {"people": 7}},
        "c": {"text": STRIKE},
    })  # fmt: skip
    outcomes = {each.id: each for each in backfill(client, index_name, settings=ONE)}
    assert {id: each.status for id, each in outcomes.items()} == {
        "a": "written", "wrong": "failed", "c": "written"
    }  # fmt: skip
    assert "ner.people" in (outcomes["wrong"].reason or "")
    assert matching(index_name, {"term": {"simhash.entities": "Ada Quill"}}) == {"a"}
    assert matching(index_name, has_concept("northport")) == {"a"}
    assert estimate(client, index_name, settings=ONE).with_text == 0


def test_a_weighed_vocabulary_must_be_named(
    client: Any, index_name: str, write: Any, matching: Any, tmp_path: Path
) -> None:
    path = tmp_path / "synonyms.txt"
    path.write_text("walkout, industrial action, walked out\n", "utf-8")
    install(client, index_name, semantics=SemanticScheme(vocabulary=vocabulary_digest(str(path))))
    write(index_name, {"a": {"text": STRIKE}})
    for ask in (lambda: list(backfill(client, index_name)), lambda: estimate(client, index_name)):
        with pytest.raises(InputError, match="but none was given") as raised:
            ask()
        assert raised.value.parameter == "vocabulary"
    config = IndexConfig(vocabulary=str(path))
    list(backfill(client, index_name, config=config, settings=ONE))
    assert matching(index_name, has_concept("#walkout")) == {"a"}


def test_indices_of_which_only_some_have_semantic_fields_are_refused(
    client: Any, index: str, write: Any
) -> None:
    second = f"{index}-second"
    try:
        install(client, second, semantics=None)
        with pytest.raises(MappingConflict, match=f"es-simhash install {second}"):
            list(backfill(client, f"{index},{second}"))
    finally:
        client.indices.delete(index=second)


def test_the_estimate_of_semantic_fields_is_larger(
    client: Any, index_name: str, write: Any, documents: Any
) -> None:
    install(client, index_name, semantics=None)
    write(index_name, documents(30))
    alone = estimate(client, index_name, settings=ONE)
    install(client, index_name, semantics=DEFAULT_SEMANTICS)
    both = estimate(client, index_name, settings=ONE)
    assert both.bytes_a_document > alone.bytes_a_document
    assert both.documents == alone.documents == 30
