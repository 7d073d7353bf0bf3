"""Who is first is decided by the order of the documents alone."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from tests.support.new_index import new_index

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


def stream(make_text: Make, revise: Make, seed: int) -> list[dict[str, Any]]:
    """Texts with versions and copies, versions of versions, and documents that come twice."""
    chosen = random.Random(seed)
    made: list[dict[str, Any]] = []
    for number in range(12):
        original = make_text(number, chosen.choice([8, 40, 150, 300]))
        texts = [original]
        for _ in range(chosen.randrange(4)):
            source = chosen.choice(texts)
            version = f"{revise(source, chosen.random())} and more"
            texts.append(chosen.choice([source.upper(), version]))
        made += [{"id": f"{number}-{n}", "text": each} for n, each in enumerate(texts)]
    chosen.shuffle(made)
    for _ in range(6):
        changed = {**chosen.choice(made), "text": chosen.choice(made)["text"]}
        made.insert(chosen.randrange(len(made)), changed)
    return [{**each, "n": number} for number, each in enumerate(made)]


def decisions(
    client: Any, name: str, documents: list[dict[str, Any]], size: int, rules: Any
) -> list[Any]:
    """Decide and write batches of one size, with a bulk of our own."""
    found = []
    with VersionPolicy(client, name, rules) as policy:
        for start in range(0, len(documents), size):
            decided = policy.decide(documents[start : start + size])
            lines: list[Any] = []
            for each in decided:
                if each.writes:
                    lines += [{"index": {"_id": each.id}}, each.to_write()]
            if lines:
                assert not client.bulk(index=name, operations=lines)["errors"]
            policy.confirm(decided)
            found += [
                (each.id, each.action, each.other, each.relation and each.relation.score)
                for each in decided
            ]
    return found


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    ("action", "lose", "seed"),
    [
        ("skip", 1, 1),
        ("flag", 1, 2),
        ("link", 1, 1),
        ("replace", 1, 2),
        ("skip", 0.1, 2),
        ("replace", 0.1, 1),
    ],
)
def test_the_decisions_are_the_same_whatever_the_borders_of_the_batches(
    client: Any,
    index_name: str,
    tmp_path: Any,
    make_text: Make,
    revise: Make,
    monkeypatch: pytest.MonkeyPatch,
    action: Any,
    lose: float,
    seed: int,
) -> None:
    # Small enough that what was written is forgotten again in a run of single documents.
    monkeypatch.setattr("es_simhash.ingestion.deduplication.recent_documents.MAX_RECENT", 7)
    documents = stream(make_text, revise, seed)
    outcomes = []
    for size in (1, 3, len(documents)):
        client.indices.delete(index=f"{index_name},{index_name}-simhash", ignore_unavailable=True)
        new_index(client, index_name, {"n": {"type": "long"}}, semantics=None)
        rules = OnVersion(action, lose=lose, audit=tmp_path / f"{size}.jsonl")
        decided = decisions(client, index_name, documents, size, rules)
        client.indices.refresh(index=index_name)
        hits = client.search(index=index_name, size=1000)["hits"]["hits"]
        outcomes.append((decided, {hit["_id"]: hit["_source"] for hit in hits}))
    assert outcomes[0][0] == outcomes[1][0] == outcomes[2][0]
    assert outcomes[0][1] == outcomes[1][1] == outcomes[2][1]
    assert {each[1] for each in outcomes[0][0]} >= {"write", action}
    assert ("retain" in {each[1] for each in outcomes[0][0]}) == (lose < 1)


@pytest.mark.variants
@pytest.mark.parametrize("action", ["skip", "replace"])
def test_threads_and_processes_decide_in_the_order_of_the_input(
    desk: Any, make_text: Make, revise: Make, tmp_path: Any, action: str
) -> None:
    documents = stream(make_text, revise, 3)
    found = []
    for batch, processes in ((1000, 1), (1, 1), (3, 2)):
        desk.client.indices.delete(
            index=f"{desk.name},{desk.name}-simhash", ignore_unavailable=True
        )
        new_index(desk.client, desk.name, {"n": {"type": "long"}}, semantics=None)
        desk.audit = tmp_path / f"{batch}.jsonl"
        desk.write(documents, action, batch=batch, processes=processes)
        told = [(each["id"], each["other"], each["score"]) for each in desk.records()]
        found.append((told, desk.documents()))
    assert found[0] == found[1] == found[2]
    assert found[0][0]
