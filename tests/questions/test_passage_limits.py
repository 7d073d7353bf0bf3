"""Passages where indices, fields and texts are out of the ordinary."""

import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from es_simhash import Index, MemoryIndex, SearchOptions, SidecarIndex
from es_simhash.ingestion.ingest import ingest
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.evidence import aligned_passages
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.config import IndexConfig
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_prose, make_text
from tests.support.reuse import COPIED, ENGLISH, FORM, FORMS, documents

MANY = SearchOptions(size=30)


def memory(texts: Mapping[str, str]) -> MemoryIndex:
    index = MemoryIndex(IndexConfig(semantics=DEFAULT_SEMANTICS))
    for id, text in texts.items():
        index.add(id, text)
    return index


def filled_index(
    client: Any,
    name: str,
    analyzer: str = "standard",
    settings: Mapping[str, Any] | None = None,
    semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
) -> Index:
    properties = {"text": {"type": "text", "analyzer": analyzer}}
    client.indices.create(index=name, settings=settings or {}, mappings={"properties": properties})
    install(client, name, semantics=semantics)
    made = [{"id": id, "text": text} for id, text in documents().items()]
    assert all(each.ok for each in ingest(client, name, made))
    client.indices.refresh(index=name)
    return Index(client, name)


def ids(found: Any) -> set[str]:
    return {str(each.id) for each in found}


def test_boilerplate_of_long_documents_is_common() -> None:
    texts = documents()
    for n, id in enumerate(FORMS):
        texts[id] = ENGLISH.join(make_prose(10 + n, 30), FORM)
    found = memory(texts).related(id="copier", options=MANY)
    assert {each.is_boilerplate for each in found if each.id in FORMS} == {True}


def test_what_only_shares_boilerplate_shares_nothing_distinctive() -> None:
    options = SearchOptions(size=30, distinctive=True)
    found = memory(documents()).related(id="copier", options=options)
    sharing = {each.id for each in found if each.kind == "shares_passages"}
    assert sharing
    assert not sharing & set(FORMS)


def test_a_copy_without_punctuation_is_found_whole() -> None:
    copied = " ".join(make_text(1, 60).replace(".", "").split())
    query = AnalysedText(f"{make_text(2, 5_000)} {copied} {make_text(3, 5_000)}".replace(".", ""))
    hit = AnalysedText(f"{make_text(4, 3_000)} {copied} {make_text(5, 3_000)}".replace(".", ""))
    [passage] = aligned_passages(query, hit)
    assert copied in query.span(*passage.at.sides[0]).text
    assert copied in hit.span(*passage.at.sides[1]).text


def test_texts_of_megabytes_are_aligned_within_half_a_minute() -> None:
    letters = random.Random(0)
    words = [letters.randbytes(letters.randint(2, 4)).hex() for _ in range(30_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    texts = []
    for seed in (11, 12):
        chosen = random.Random(seed).choices(words, weights, k=400_000)
        texts.append(
            " ".join(f"{word}." if n % 15 == 14 else word for n, word in enumerate(chosen))
        )
    assert min(map(len, texts)) > 2_000_000
    start = time.process_time()
    aligned_passages(*map(AnalysedText, texts))
    assert time.process_time() - start < 30


def test_an_analyzer_that_makes_too_many_terms_is_answered_without_its_words(
    client: Any, index_name: str
) -> None:
    grams = {"grams": {"type": "standard", "max_token_length": 1}}
    index = filled_index(client, index_name, "grams", {"analysis": {"analyzer": grams}})
    letters = random.Random(1)
    long = " ".join(
        " ".join(letters.randbytes(200).hex() for _ in range(10)) + "." for _ in range(64)
    )
    found = index.related(text=f"{documents()['copier']} {long}", options=MANY)
    # What is searched by fingerprints is found, and the answer says that it is not all.
    assert "source" in ids(found)
    assert found.truncated


def test_an_index_without_semantics_finds_the_reworded_source(client: Any, index_name: str) -> None:
    index = filled_index(client, index_name, semantics=None)
    assert "source" in ids(index.related(id="rewriter", options=MANY))


def test_words_that_keep_their_capitals_are_found(client: Any, index_name: str) -> None:
    index = filled_index(client, index_name, "whitespace")
    assert "source" in ids(index.related(id="rewriter", options=MANY))


def test_a_hit_that_grew_too_long_is_left_out(client: Any, index_name: str) -> None:
    index = filled_index(client, index_name)
    grown = ENGLISH.join(COPIED) + " One two three four five six seven eight. " * 25_000
    client.update(index=index_name, id="other-1", doc={"text": grown}, refresh=True)
    assert "source" in ids(index.related(id="rewriter", options=MANY))


@pytest.fixture
def sidecar(client: Any, index_name: str) -> Iterator[str]:
    """An index without fingerprints, of which the name is given, and its sidecar."""
    name = f"{index_name}-sidecar"
    lines: list[dict[str, Any]] = []
    for id, text in documents().items():
        lines += [{"index": {"_id": id}}, {"text": text}]
    client.bulk(index=index_name, operations=lines, refresh=True)
    try:
        assert all(each.ok for each in backfill(client, index_name, sidecar=name))
        client.indices.refresh(index=name)
        yield name
    finally:
        client.indices.delete(index=name, ignore_unavailable=True)


def test_a_document_that_the_sidecar_has_not_is_not_related(
    client: Any, index_name: str, sidecar: str
) -> None:
    new = ENGLISH.host(COPIED, documents()["other-3"].split(". "), 5)
    client.index(index=index_name, id="new", document={"text": new}, refresh=True)
    found = ids(SidecarIndex(client, sidecar).related(id="rewriter", options=MANY))
    assert "source" in found
    assert "new" not in found
