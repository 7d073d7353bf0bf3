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
from tests.support.reuse import COPIED, ENGLISH, FORM, FORMS, REWORDED, documents

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


@pytest.mark.long
def test_boilerplate_of_long_documents_is_common() -> None:
    texts = documents()
    for n, id in enumerate(FORMS):
        texts[id] = ENGLISH.join(make_prose(10 + n, 30), FORM)
    found = memory(texts).related(id="copier", options=MANY)
    assert {each.is_boilerplate for each in found if each.id in FORMS} == {True}


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_an_index_without_semantics_finds_the_reworded_source(client: Any, index_name: str) -> None:
    index = filled_index(client, index_name, semantics=None)
    assert "source" in ids(index.related(id="rewriter", options=MANY))


@pytest.mark.long
def test_words_that_keep_their_capitals_are_found(client: Any, index_name: str) -> None:
    index = filled_index(client, index_name, "whitespace")
    assert "source" in ids(index.related(id="rewriter", options=MANY))


@pytest.mark.long
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


@pytest.fixture(scope="module")
def judgements() -> MemoryIndex:
    """Thirty long texts that share a reworded passage with the first and nothing else."""
    texts = {"first": ENGLISH.join(make_prose(0, 700), COPIED)}
    for number in range(1, 31):
        own = make_prose(number, 700)
        texts[f"long-{number:02}"] = ENGLISH.join(own[:350], REWORDED, own[350:])
    return memory(texts)


@pytest.mark.long
def test_long_texts_that_wait_for_their_turn_are_said_to_be_missing(
    judgements: MemoryIndex,
) -> None:
    answer = judgements.related(id="first", options=SearchOptions(size=2))
    assert len(answer) == 2
    assert answer.truncated
    assert answer.extent.is_estimate
    # All are aligned where that many are to be shown, and nothing is missing.
    answer = judgements.related(id="first", options=MANY)
    assert ids(answer) == {f"long-{number:02}" for number in range(1, 31)}
    assert not answer.truncated
    assert (answer.extent.total, answer.extent.is_estimate) == (30, False)


@pytest.mark.long
def test_pages_of_long_texts_show_each_once(judgements: MemoryIndex) -> None:
    shown: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = judgements.related(id="first", options=SearchOptions(size=7, offset=offset))
        shown += [str(each.id) for each in answer]
        offset = answer.extent.next_offset
    assert sorted(shown) == [f"long-{number:02}" for number in range(1, 31)]


def test_many_short_texts_are_aligned_at_once() -> None:
    texts = {"first": ENGLISH.join(make_prose(0, 60), COPIED)}
    for number in range(1, 31):
        texts[f"short-{number}"] = ENGLISH.join(make_prose(number, 60), REWORDED)
    answer = memory(texts).related(id="first", options=SearchOptions(size=2))
    assert not answer.truncated
    assert (answer.extent.total, answer.extent.is_estimate) == (30, False)
