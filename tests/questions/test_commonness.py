"""What the index knows beside a relation: told, never part of the relation itself."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from es_simhash.questions.index import Index
from es_simhash.questions.memory import MemoryIndex
from es_simhash.relation.relation import Coverage, Relation
from es_simhash.relation.text_comparison import compare
from es_simhash.store.options import Limits, SearchOptions
from tests.support.desk import Desk

pytestmark = pytest.mark.cluster
Make = Callable[..., str]
ALL = SearchOptions(size=100, min_score=0.03, evidence=False)
# Kind, score and coverage of each relation of the query.
Said = dict[str, tuple[str, float, Coverage]]


def said(relations: list[Relation]) -> Said:
    return {str(each.id): (each.kind, each.score, each.coverage) for each in relations}


def put(desk: Desk, texts: Mapping[str, str]) -> None:
    desk.put([{"_id": id, "text": text} for id, text in texts.items()])


def asked(desk: Desk, options: SearchOptions = ALL) -> list[Relation]:
    return list(Index(desk.client, desk.name).related(id="policy-0", options=options))


@pytest.fixture
def policy(make_text: Make, revise: Make) -> dict[str, str]:
    """A policy of six versions, and a text that quotes a third of it."""
    texts = {"policy-0": make_text(1)}
    for step in range(1, 6):
        texts[f"policy-{step}"] = revise(texts[f"policy-{step - 1}"], step, 0.01)
    quoted = " ".join(texts["policy-0"].split()[:100])
    return {**texts, "quote": f"{make_text(7, 90)} {quoted} {make_text(8, 110)}"}


@pytest.mark.long
def test_no_further_document_changes_a_relation(
    desk: Desk, policy: dict[str, str], make_text: Make, revise: Make
) -> None:
    put(desk, policy)
    before = said(asked(desk))
    assert before.keys() == policy.keys() - {"policy-0"}
    letterhead = " ".join(policy["policy-0"].split()[:60])
    further = {
        **{f"stranger-{n}": make_text(100 + n) for n in range(10)},
        **{f"form-{n}": f"{letterhead} {make_text(200 + n)}" for n in range(10)},
        **{f"more-{n}": revise(policy["policy-5"], 300 + n, 0.05) for n in range(10)},
    }
    put(desk, further)
    after = asked(desk)
    assert {id: told for id, told in said(after).items() if id in before} == before
    assert any(relation.common for relation in after)
    some = SearchOptions(
        size=100,
        min_score=0.03,
        evidence=False,
        limits=Limits(candidates=8),
        filters=({"bool": {"must_not": [{"ids": {"values": ["policy-1"]}}]}},),
    )
    narrow = said(asked(desk, some))
    assert narrow
    assert narrow == {id: said(after)[id] for id in narrow}
    for relation in after:
        text = {**policy, **further}[str(relation.id)]
        alone = compare(policy["policy-0"], text, semantics=None)
        assert (alone.kind, alone.score) == (relation.kind, relation.score)


def test_boilerplate_is_told_and_can_be_left_out(desk: Desk, make_text: Make) -> None:
    notice = make_text(1, 120)
    texts = {f"page-{n}": f"{make_text(10 + n, 200)} {notice}" for n in range(9)}
    own = make_text(99, 200)
    texts["policy-0"] = f"{own} {notice}"
    texts["copy"] = f"{make_text(50, 150)} {own}"
    put(desk, texts)
    found = {str(each.id): each for each in asked(desk)}
    assert {found[f"page-{n}"].kind for n in range(9)} == {"shares_passages"}
    assert min(found[f"page-{n}"].common or 0 for n in range(9)) > 0.9
    assert found["copy"].common == 0
    distinctive = SearchOptions(size=100, min_score=0.03, evidence=False, distinctive=True)
    assert {str(each.id) for each in asked(desk, distinctive)} == {"copy"}
    memory = MemoryIndex()
    for id, text in texts.items():
        memory.add(id, text)
    exact = memory.related(id="policy-0", options=ALL)
    assert {each.id: each.common for each in exact} == {
        id: each.common for id, each in found.items()
    }


def test_versions_are_shown_however_common_their_text_is(
    desk: Desk, policy: dict[str, str], revise: Make
) -> None:
    put(desk, {**policy, "policy-6": revise(policy["policy-5"], 6, 0.005)})
    distinctive = SearchOptions(size=100, evidence=False, distinctive=True)
    versions = {each.id: each for each in asked(desk, distinctive) if each.kind == "version"}
    assert versions.keys() == {f"policy-{n}" for n in range(1, 7)}
    assert any((each.common or 0) > 0.5 for each in versions.values())


@pytest.mark.long
def test_of_equal_relations_the_more_distinctive_is_first(desk: Desk, make_text: Make) -> None:
    query = [make_text(n, 40) for n in (1, 2)]
    rest = [make_text(n, 200) for n in range(20, 32)]
    put(desk, {"policy-0": " ".join([*query, make_text(3, 120)])})
    put(desk, {f"page-{n}": f"{each} {query[0]}" for n, each in enumerate(rest[:8])})
    put(desk, {"rare": f"{rest[9]} {query[1]}"})
    found = asked(desk)
    by_score: dict[float, list[float]] = {}
    for relation in found:
        by_score.setdefault(relation.score, []).append(relation.common or 0.0)
    assert all(common == sorted(common) for common in by_score.values())


def test_two_texts_alone_have_nothing_common() -> None:
    text = "The harbour opens at six in the morning, and the ferry leaves at seven."
    assert compare(text, f"{text} So it was said.", semantics=None).common is None


@pytest.mark.long
def test_what_is_copied_does_not_hide_behind_what_is_alike(client: Any, index_name: str) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    story = (
        "The harbour of Ellery lost its last crane on Monday, when the storm tore it from the quay "
        "and threw it into the basin. Nobody was hurt, said the harbour master, but two of the "
        "four berths are closed for months, and the herring fleet has to land its catch in the "
        "next town. The council met in the evening and asked the government for help. "
    )
    pages = {
        "query": story
        + "Repairs will cost nine million, and the fishermen doubt that the money comes before "
        "winter. A diver who looked at the wreck says that the crane lies across the entrance of "
        "the basin, so that no ship with more than two metres of draught can pass. The yard at the "
        "river offered a floating crane, which would take three weeks to arrive. Until then the "
        "wreck is marked by two lights, and pilots bring in what has to come: oil for the power "
        "plant, and medicine for the hospital on the hill. Schools stay open, trains run as usual.",
        "copier": "A report on fishing towns after the storm, with what others wrote of it. Along "
        "most of the coast the damage was small, and few mayors want to be quoted on it. "
        + story
        + "In Port Marrow the ferry ran again on "
        "Tuesday, in Saint Bride the lifeboat station lost its roof, and in Cullen the market "
        "opened two days late. Insurers expect claims for forty million. Economists say that the "
        "fishing of the whole coast will suffer for a year, that prices of herring will rise, and "
        "that some of the smaller boats will be sold. The ministry wants to build the cranes of "
        "all harbours anew, and of steel that does not rust. Harbour masters met in the capital.",
        **{
            f"alike-{n}": f"Storm number {n}: the crane of the harbour of Ellery fell, the herring "
            f"fleet lands its catch elsewhere, and council member {n} wants money for the berths."
            for n in range(8)
        },
    }
    install(client, index_name)
    documents = [{"id": id, "text": text} for id, text in pages.items()]
    assert all(outcome.ok for outcome in ingest(client, index_name, documents))
    client.indices.refresh(index=index_name)
    index = Index(client, index_name)
    for options in (SearchOptions(), SearchOptions(kinds=("shares_passages",))):
        found = {each.id: each for each in index.related(id="query", options=options)}
        assert found["copier"].kind == "shares_passages"
        assert found["copier"].coverage.of_query > 0.3
        assert found["copier"].evidence[0].query.text.startswith("The harbour of Ellery lost")
