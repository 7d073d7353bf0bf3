"""Texts, names and fields that nobody would write: each is read, or refused by itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash import Index
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_profile import MAX_TERM_LENGTH, STORED_CONCEPTS
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions
from es_simhash.store.semantic_codec import semantic_members
from tests.support.made_up_texts import make_text

ANYTHING = SearchOptions(min_score=0)
ONE = IngestSettings(processes=1)
STRANGE = {
    "empty": "",
    "spaces": " \n\t ",
    "stop words": "the and of to in a is that it was",
    "digits": "1 22 333 4.5 6,000",
    "emoji": "🎉🎉 👩‍👩‍👧 🇩🇪",
    "one word": "harbour",
    "one letter": "x",
    "one long word": "harbour" * 20_000,
    "dots": "... a.b.c U.S.A. www.example.org",
    "controls": "\x00 harbour \x1b[31m \u202e ship \x9b",
    "half a character": "harbour \ud800 ship",
    "underscores": "snake_case_words and __dunder__",
    "marks": "\u0301\u0301 e\u0301 \u093f",
    "two languages": "Die Zinsen steigen weiter. 利率继续上升。Interest rates climb on.",
    "thai": "เรือออกจากท่าเรือ",
    "private use": "\ue000\ue001 ship",
}


@pytest.mark.parametrize("name", STRANGE)
def test_any_text_has_a_profile_that_can_be_stored(name: str) -> None:
    profiles = semantic_profiler(DEFAULT_SEMANTICS).profile([STRANGE[name]])
    [members] = semantic_members(profiles, "s")
    for term, weight in members.get("concepts", {}).items():
        assert "." not in term
        assert term == term.strip()
        assert 0 < weight <= 1
        assert len(term.encode("utf-8", "replace")) <= 4 * MAX_TERM_LENGTH


@pytest.mark.long
@pytest.mark.cluster
def test_any_text_is_taken_by_the_engine(client: Any, index_name: str) -> None:
    install(client, index_name)
    documents = [
        {"id": str(n), "text": text}
        for n, (name, text) in enumerate(STRANGE.items())
        if name != "half a character"  # no JSON of it can be sent
    ]
    outcomes = list(ingest(client, index_name, documents, settings=ONE))
    assert [each.reason for each in outcomes if not each.ok] == []
    client.indices.refresh(index=index_name)
    index = Index(client, index_name)
    answers = index.related_to_each([each["id"] for each in documents], options=ANYTHING)
    assert len(answers) == len(documents)
    for document in documents:
        index.related(text=document["text"], options=ANYTHING)


@pytest.mark.cluster
def test_a_document_without_concepts_relates_to_nothing(indexed: Any) -> None:
    index = indexed(
        {"id": "stops", "text": STRANGE["stop words"]},
        {"id": "more stops", "text": "it is what it was, and that is that"},
        {"id": "digits", "text": STRANGE["digits"]},
        {"id": "ship", "text": "A ship in the harbour."},
    )
    for id in ("stops", "digits"):
        assert [each for each in index.related(id=id) if each.kind == "semantic"] == []


@pytest.mark.long
@pytest.mark.cluster
def test_a_document_of_a_million_words_is_found(client: Any, index_name: str, indexed: Any) -> None:
    long = "The union of Saltwick harbour struck again. " + "lower upper tall short " * 250_000
    index = indexed({"id": "short", "text": "The union struck in Saltwick harbour."})
    [outcome] = ingest(client, index_name, [{"id": "long", "text": long}], settings=ONE)
    assert outcome.ok
    client.indices.refresh(index=index_name)
    found = index.related(id="short", options=SearchOptions(min_score=0, evidence=False))
    assert [each.id for each in found] == ["long"]


@pytest.mark.cluster
def test_a_long_document_is_found_by_its_neighbour(indexed: Any) -> None:
    body = "The harbour of Saltwick saw the union strike for wages. Ships left for Northport. "
    index = indexed({"id": "short", "text": "In Saltwick the union went on strike for wages."},
                   {"id": "long", "text": body * 2000})  # fmt: skip
    assert [each.id for each in index.related(id="short")] == ["long"]
    assert [each.id for each in index.related(id="long")] == ["short"]


# Entities that the documents bring


PEOPLE = SemanticScheme("builtin", "none", entity_fields=("people",))


@pytest.mark.cluster
def test_entities_of_a_field_make_neighbours(client: Any, index_name: str, indexed: Any) -> None:
    people = {"people": {"type": "object", "enabled": False}}
    client.indices.create(index=index_name, mappings={"properties": people})
    index = indexed(
        {"id": "1", "text": "First report.", "people": ["Ada Lovelace"]},
        {"id": "2", "text": "Another note.", "people": [{"name": "Ada Lovelace", "count": 3}]},
        {"id": "3", "text": "Some minutes.", "people": []},
        semantics=PEOPLE,
    )
    [found] = index.related(id="1", options=ANYTHING)
    assert found.id == "2"
    [shared] = found.semantics.shared
    assert (shared.text, shared.is_entity) == ("Ada Lovelace", True)
    assert (shared.in_query, shared.in_hit) == ("field:people", "field:people")
    assert "people" not in found.source
    assert index.explain("1", "2").semantics.shared == found.semantics.shared


@pytest.mark.cluster
def test_names_of_any_form_are_taken_and_found(client: Any, indexed: Any, index_name: str) -> None:
    names = ["U.S. Steel", '"Quoted" \\ Name', "Line\nBreak\x00\x1b[31m Control", "L" * 10_240,
             "Ünïcödé \u202e Name", "...", "\x00", "東京"]  # fmt: skip
    index = indexed(
        *(
            {"id": f"{n}{side}", "text": make_text(2 * n + (side == "b"), 30), "people": [name]}
            for n, name in enumerate(names)
            for side in "ab"
        ),
        semantics=PEOPLE,
    )
    for n, name in enumerate(names):
        found = [each.id for each in index.related(id=f"{n}a", options=ANYTHING)]
        if any(character.isalpha() for character in name):
            assert found[0] == f"{n}b", name
    stored = client.search(index=index_name, size=100)["hits"]["hits"]
    kept = [name for hit in stored for name in hit["_source"]["simhash"].get("entities", [])]
    assert kept
    assert all(name.isprintable() and len(name) <= MAX_TERM_LENGTH for name in kept)


@pytest.mark.cluster
def test_a_field_of_the_wrong_shape_costs_that_document_alone(
    run: Any, cluster_url: str, client: Any, index_name: str, tmp_path: Path
) -> None:
    install(client, index_name, semantics=PEOPLE)
    documents = [
        {"id": "1", "text": "One text.", "people": ["Ada Lovelace"]},
        {"id": "2", "text": "Two texts.", "people": 7},
        {"id": "3", "text": "Three texts.", "people": "Ada Lovelace"},
    ]
    file, letters = tmp_path / "d.jsonl", tmp_path / "dead.jsonl"
    file.write_text("\n".join(map(json.dumps, documents)), "utf-8")
    status, out, err = run("ingest", index_name, file, "--dead-letter", letters, "--processes", 1,
                      "--journal", tmp_path / "journal", "--url", cluster_url)  # fmt: skip
    assert status == 1
    assert "2 written" in out
    assert "1 failed" in out
    assert "1 document failed. See " in err
    [dead] = map(json.loads, letters.read_text("utf-8").splitlines())
    assert dead["id"] == "2"
    assert "'people'" in dead["reason"]
    client.indices.refresh(index=index_name)
    assert client.count(index=index_name)["count"] == 2


@pytest.mark.cluster
def test_a_field_that_turned_wrong_in_the_index_leaves_the_others_findable(
    client: Any, index_name: str, indexed: Any
) -> None:
    index = indexed(
        {"id": "1", "text": "First report.", "people": ["Ada Lovelace"]},
        {"id": "2", "text": "Another note.", "people": ["Ada Lovelace"]},
        {"id": "3", "text": "Some minutes.", "people": ["Ada Lovelace"]},
        semantics=PEOPLE,
    )
    client.update(index=index_name, id="3", doc={"people": [["7"], 7.5]}, refresh=True)
    found = {str(each.id): each for each in index.related(id="1", options=ANYTHING)}
    assert set(found) == {"2", "3"}
    # One document that cannot be read takes the evidence of no other.
    assert {id: bool(each.semantics.shared) for id, each in found.items()} == {
        "2": True,
        "3": False,
    }


@pytest.mark.cluster
def test_vocabulary_names_of_any_form_are_taken(indexed: Any, tmp_path: Path) -> None:
    # The first of a line names the concept.
    path = tmp_path / "synonyms.txt"
    path.write_text('u.s. "steel" works, ironworks\n' + "long " * 40 + "name, longname\n", "utf-8")
    scheme = SemanticScheme("builtin", "none", vocabulary=vocabulary_digest(str(path)))
    index = indexed(
        {"id": "1", "text": "The ironworks closed."},
        {"id": "2", "text": "An old ironworks burned down."},
        {"id": "3", "text": "A longname stands here."},
        {"id": "4", "text": "Every longname is odd."},
        semantics=scheme, vocabulary=path,
    )  # fmt: skip
    for id, other in (("1", "2"), ("3", "4")):
        assert next(iter(index.related(id=id, options=ANYTHING))).id == other


# spaCy


@pytest.mark.cluster
def test_a_blank_spacy_pipeline_reads_the_texts(
    indexed: Any, library_texts: dict[str, str]
) -> None:
    pytest.importorskip("spacy")
    index = indexed(
        *({"id": id, "text": library_texts[id]} for id in ("bank", "bank-outlook", "bees")),
        semantics=SemanticScheme("spacy:blank:en", "none"),
    )
    found = index.related(id="bank", options=ANYTHING)
    assert found[0].id == "bank-outlook"
    assert "inflation" in {each.text for each in found[0].semantics.shared}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Run `es-simhash` with these arguments; gives its exit status and what it printed."""
    import sys

    from es_simhash.cli import main

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["es-simhash", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        return status, *capfd.readouterr()

    return call


def test_a_text_without_a_vector_keeps_more_concepts() -> None:
    # Made-up words: English by their stop words, and none of them in the table.
    made_up = " and the ".join(f"zz{chr(97 + n // 26)}{chr(97 + n % 26)}q" for n in range(120))
    semantics = semantic_profiler(SemanticScheme()).profile([made_up])[0]
    assert semantics.vector is None
    assert len(semantics.stored_concepts()) == 2 * STORED_CONCEPTS
    assert semantics.query_concepts() == semantics.stored_concepts()
