"""Documents with a `_routing`, by every command: as the same documents without one."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.errors import ClusterError, DocumentMissing
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.deduplication.version_policy import VersionPolicy
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backfills.prune import prune
from es_simhash.maintenance.families.dismissals_and_joins import dismiss, lift_undone
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.questions.index import Index, open_index
from es_simhash.store.installation.install import install
from es_simhash.store.options import SearchOptions
from tests.support.made_up_texts import make_text, revise
from tests.support.new_index import TEXT
from tests.support.swept import SweptIndex

pytestmark = pytest.mark.cluster
ONE = BackfillSettings(processes=1)
SHARDS = 3
Documents = dict[str, dict[str, Any]]


class Routed(SweptIndex):
    """An index of three shards, whose documents have a routing, or none."""

    def __init__(self, client: Any, name: str, folder: Path, routed: bool, **mapping: Any) -> None:
        super().__init__(client, name, folder)
        self.audit = folder / f"{name}.audit.jsonl"
        self.routed = routed
        settings = {"number_of_shards": SHARDS, "number_of_replicas": 0}
        mapped = {"text": TEXT, "n": {"type": "long"}, "date": {"type": "date"}}
        client.indices.create(
            index=name, settings=settings, mappings={"properties": mapped, **mapping}
        )
        install(client, name, semantics=None)

    def routing_of(self, id: str) -> str | None:
        return f"customer-{len(id) + ord(id[-1]) % 5}" if self.routed else None

    def lines(self, documents: Documents) -> list[dict[str, Any]]:
        """Return documents as `ingest` reads them."""
        lines = []
        for id, document in documents.items():
            routing = {"_routing": self.routing_of(id)} if self.routed else {}
            lines.append({"_id": id, **routing, **document})
        return lines

    def store_all(self, documents: Documents) -> None:
        """Write documents as a user's own program does."""
        operations: list[dict[str, Any]] = []
        for id, document in documents.items():
            routing = {"routing": self.routing_of(id)} if self.routed else {}
            operations += [{"index": {"_id": id, **routing}}, document]
        answer = self.client.bulk(index=self.name, operations=operations, refresh=True)
        assert not answer["errors"], answer

    def routings(self) -> dict[str, str | None]:
        """Return the routing of each document; an id that is there twice fails the test."""
        self.client.indices.refresh(index=self.name)
        hits = self.client.search(index=self.name, size=1000)["hits"]["hits"]
        assert max(Counter(hit["_id"] for hit in hits).values(), default=1) == 1
        return {hit["_id"]: hit.get("_routing") for hit in hits}

    def require_own_routings(self) -> None:
        routings = self.routings()
        assert routings == {id: self.routing_of(id) for id in routings}


def corpus() -> Documents:
    """Ten texts, each with a version and a copy."""
    documents = {}
    for seed in range(10):
        text = make_text(seed)
        documents[f"{seed}"] = {"text": text, "n": seed}
        documents[f"{seed}v"] = {"text": revise(text, 3) + " and so on", "n": seed}
        documents[f"{seed}c"] = {"text": text.upper(), "n": seed}
    return documents


@pytest.fixture
def pair(client: Any, index_name: str, tmp_path: Path) -> Iterator[tuple[Routed, Routed]]:
    """An index whose documents have a routing, and one without."""
    names = [f"{index_name}-routed", f"{index_name}-plain"]
    yield (
        Routed(client, names[0], tmp_path, routed=True),
        Routed(client, names[1], tmp_path, routed=False),
    )
    for name in names:
        for each in (name, f"{name}-simhash", f"{name}-sidecar"):
            client.indices.delete(index=each, ignore_unavailable=True)


def same(pair: tuple[Routed, Routed], ask: Callable[[Routed], Any]) -> Any:
    """Return what both answer."""
    routed, plain = (ask(index) for index in pair)
    assert routed == plain
    return plain


def told(answer: Any) -> list[tuple[Any, ...]]:
    """Return the relations of an answer without the name of the index."""
    return [
        (each.id, each.kind, each.score, [passage.hit.text for passage in each.evidence])
        for each in answer
    ]


def test_the_routings_are_those_of_several_shards(pair: tuple[Routed, Routed]) -> None:
    """Most documents are in another shard than their ids say: what the other tests rest on."""
    routed, _ = pair
    routed.put(routed.lines(corpus()))
    routed.require_own_routings()
    found = [
        routed.client.options(ignore_status=404).get(index=routed.name, id=id).get("found")
        for id in corpus()
    ]
    assert found.count(False) > 10


@pytest.mark.long
def test_related_evidence_and_explain(pair: tuple[Routed, Routed], requests_of: list[str]) -> None:
    for index in pair:
        index.put(index.lines(corpus()))
    options = SearchOptions(size=20, fields=("n",))
    requests_of.clear()

    def related(index: Routed) -> dict[str, Any]:
        answers = Index(index.client, index.name).related_to_each(list(corpus()), options=options)
        return {
            id: (told(answer), [each.source for each in answer]) for id, answer in answers.items()
        }

    answers = same(pair, related)
    assert all(len(relations) >= 2 for relations, _ in answers.values())
    assert all(evidence for relations, _ in answers.values() for *_, evidence in relations[:2])
    # The ids that are in another shard are searched together.
    assert requests_of.count("POST /" + pair[0].name + "/_msearch") == 2
    assert len(requests_of) < 12

    def explained(index: Routed) -> Any:
        relation = Index(index.client, index.name).explain("1", "1v")
        return told([relation])

    assert same(pair, explained)[0][1] == "version"
    with pytest.raises(DocumentMissing, match="'no' is not in index"):
        Index(pair[0].client, pair[0].name).related(id="no")


def test_the_command_line_finds_and_explains(pair: tuple[Routed, Routed], cluster_url: str) -> None:
    for index in pair:
        index.put(index.lines(corpus()))

    def run(*arguments: str) -> Any:
        line = [*arguments, "--format", "json", "--url", cluster_url]
        done = CliRunner().invoke(cli, line, catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)

    def ids(index: Routed) -> list[str]:
        [answer] = run("related", index.name, "--id", "3")
        return [relation["id"] for relation in answer["relations"]]

    assert set(same(pair, ids)) >= {"3v", "3c"}
    assert same(pair, lambda index: run("explain", index.name, "3", "3c")["kind"]) == "exact"


@pytest.mark.long
def test_families_and_dismissals(pair: tuple[Routed, Routed]) -> None:
    for index in pair:
        index.put(index.lines(corpus()))

    def families(index: Routed) -> Any:
        report = find_families(index.client, index.name)
        assert report.skipped == ()
        return sorted(sorted(family.members) for family in report.families), report.written

    found, written = same(pair, families)
    assert (len(found), written) == (10, 30)
    assert None not in same(pair, lambda index: index.families()).values()
    for index in pair:
        dismiss(index.client, index.name, "4", "4v")
    same(pair, families)
    both = same(pair, lambda index: index.families())
    assert both["4"] == both["4c"] != both["4v"]
    pair[0].require_own_routings()


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    ("action", "batch"), [("skip", 4), ("replace", 1000), ("flag", 1000), ("link", 4)]
)
def test_decisions_at_ingest_and_undo(pair: tuple[Routed, Routed], action: str, batch: int) -> None:
    documents = corpus()
    stored = {id: documents[id] for id in list(documents)[:9]}
    rest = {id: documents[id] for id in list(documents)[9:]}
    for index in pair:
        index.put(index.lines(stored))
    added = {"0x": {"text": revise(documents["0"]["text"], 2) + " and more"}, **rest}
    same(pair, lambda index: index.write(index.lines(added), action, batch=batch))
    assert same(pair, lambda index: index.marks())

    def records(index: Routed) -> list[tuple[Any, ...]]:
        return [(each["id"], each["other"], each["action"]) for each in index.records()]

    assert same(pair, records)
    same(pair, lambda index: index.documents())
    pair[0].require_own_routings()

    def undone(index: Routed) -> tuple[Any, ...]:
        done = index.undo()
        return done.restored, done.present, done.unmarked, done.unchanged, done.failed

    counts = same(pair, undone)
    assert counts[0] + counts[2] > 10
    assert counts[4] == []
    same(pair, lambda index: index.marks())
    assert same(pair, lambda index: index.documents()) == {**stored, **added}
    pair[0].require_own_routings()
    assert same(pair, undone)[0] == 0


# One deletes documents, the other marks them.
@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("action", ["replace", "link"])
def test_a_sweep_and_undo(pair: tuple[Routed, Routed], action: str) -> None:
    # Of two shards it is not known which document was written first: their dates say it.
    documents = {
        id: {**document, "date": f"2024-01-{number + 1:02}"}
        for number, (id, document) in enumerate(sorted(corpus().items(), key=lambda x: len(x[0])))
    }
    first = {id: documents[id] for id in documents if len(id) == 1}
    later = {id: documents[id] for id in documents if id not in first}
    for index in pair:
        index.store_all(first)
        index.sweep(action, date_field="date")
        index.store_all(later)

    def swept(index: Routed) -> Any:
        report = index.sweep(action, date_field="date")
        return report.decisions, report.conflicted, report.enriched

    decisions, conflicted, _ = same(pair, swept)
    assert (sum(decisions.values()), conflicted) == (20, ())
    same(pair, lambda index: sorted(index.documents()))
    pair[0].require_own_routings()
    assert same(pair, lambda index: index.undo().failed) == []
    assert same(pair, lambda index: index.documents()) == documents
    pair[0].require_own_routings()


@pytest.mark.long
def test_backfill_in_place_and_into_a_sidecar(pair: tuple[Routed, Routed]) -> None:
    for index in pair:
        index.store_all(corpus())

    def filled(index: Routed, **options: Any) -> Counter[str]:
        outcomes = backfill(index.client, index.name, settings=ONE, **options)
        return Counter(each.status for each in outcomes)

    assert same(pair, lambda index: filled(index, sidecar=f"{index.name}-sidecar")) == {
        "written": 30
    }
    assert same(pair, lambda index: filled(index, sidecar=f"{index.name}-sidecar")) == {
        "unchanged": 30
    }
    for index in pair:
        index.client.indices.refresh(index=f"{index.name}-sidecar")

    def related(index: Routed) -> Any:
        searched = open_index(index.client, f"{index.name}-sidecar")
        answers = searched.related_to_each(list(corpus()), options=SearchOptions(fields=("n",)))
        return {
            id: (told(answer), [each.source for each in answer]) for id, answer in answers.items()
        }

    assert all(len(relations) >= 2 for relations, _ in same(pair, related).values())
    assert same(pair, filled) == {"written": 30}
    assert same(pair, filled) == {}
    pair[0].require_own_routings()


@pytest.mark.long
def test_what_moved_to_another_routing_is_pruned(pair: tuple[Routed, Routed]) -> None:
    routed, _ = pair
    sidecar = f"{routed.name}-sidecar"
    routed.store_all({"a": {"text": make_text(1)}, "b": {"text": make_text(2)}})
    list(backfill(routed.client, routed.name, sidecar=sidecar, settings=ONE))
    assert prune(routed.client, routed.name, sidecar).deleted == 0
    routed.client.delete(index=routed.name, id="a", routing=routed.routing_of("a"))
    routed.client.index(index=routed.name, id="a", routing="moved", document={"text": make_text(1)})

    def outcomes() -> dict[str | None, Any]:
        made = backfill(routed.client, routed.name, sidecar=sidecar, settings=ONE)
        return {each.id: each for each in made}

    blocked = outcomes()["a"]
    assert blocked.status == "failed"
    assert repr(routed.routing_of("a")) in str(blocked.reason)
    assert prune(routed.client, routed.name, sidecar).deleted == 1
    assert outcomes()["a"].status == "written"
    assert prune(routed.client, routed.name, sidecar).deleted == 0


def test_documents_written_again_without_a_routing_stay_where_they_are(
    pair: tuple[Routed, Routed],
) -> None:
    routed, _ = pair
    routed.put(routed.lines(corpus()))
    bare = [{"_id": id, **document} for id, document in corpus().items()]
    again = Counter(each.status for each in ingest(routed.client, routed.name, bare))
    assert again == {"unchanged": 30}
    changed = [{**line, "n": -1} for line in bare]
    assert Counter(each.status for each in ingest(routed.client, routed.name, changed)) == {
        "written": 30
    }
    routed.require_own_routings()
    assert {source["n"] for source in routed.documents().values()} == {-1}


def test_a_second_document_of_one_id_is_refused_with_the_reason(
    pair: tuple[Routed, Routed], tmp_path: Path
) -> None:
    routed, _ = pair
    text = make_text(1)
    routed.put([{"_id": "a", "_routing": "one", "text": text}])
    settings = IngestSettings(dead_letter=tmp_path / "dead", limits=BatchLimits(documents=1))

    def status(*lines: dict[str, Any]) -> list[tuple[str, str | None]]:
        outcomes = ingest(routed.client, routed.name, lines, settings=settings)
        return [(each.status, each.reason) for each in outcomes]

    ((failed, reason),) = status({"_id": "a", "_routing": "two", "text": make_text(2)})
    assert failed == "failed"
    assert "with 'one', not with routing 'two'" in str(reason)
    (_, (failed, reason)) = status(
        {"_id": "b", "_routing": "one", "text": text},
        {"_id": "b", "_routing": "two", "text": make_text(2)},
    )
    assert (failed, "another routing" in str(reason)) == ("failed", True)
    ((failed, reason),) = status({"_id": "c", "_routing": ["x"], "text": text})
    assert (failed, "not a routing" in str(reason)) == ("failed", True)
    dead = [json.loads(line) for line in (tmp_path / "dead").read_text().splitlines()]
    assert [(each["id"], each["document"]["_routing"]) for each in dead] == [
        ("a", "two"),
        ("b", "two"),
        ("c", ["x"]),
    ]
    assert routed.routings() == {"a": "one", "b": "one"}


def test_several_documents_of_one_id(pair: tuple[Routed, Routed]) -> None:
    """What another writer made so: the one routed by its id is meant, or none can be told."""
    routed, _ = pair
    client = routed.client.options(ignore_status=404)
    for number in range(10):
        write = {"index": routed.name, "id": "a", "routing": f"r{number}"}
        client.index(**write, document={"text": make_text(1)})
        if client.get(index=routed.name, id="a").get("found"):
            client.delete(**write)
    client.indices.refresh(index=routed.name)
    assert client.count(index=routed.name, query={"ids": {"values": ["a"]}})["count"] == 2
    searched = Index(routed.client, routed.name)
    with pytest.raises(ClusterError, match="2 times, with the routings 'r"):
        searched.related(id="a")
    ((status, reason),) = [
        (each.status, str(each.reason))
        for each in ingest(routed.client, routed.name, [{"_id": "a", "text": make_text(1)}])
    ]
    assert (status, "several times" in reason) == ("failed", True)
    client.index(index=routed.name, id="a", document={"text": make_text(2)}, refresh=True)
    assert searched.explain("a", "a").kind == "exact"


@pytest.mark.long
def test_another_writer_finds_a_reserved_text_under_its_routing(
    pair: tuple[Routed, Routed],
) -> None:
    """Before any search sees it: by what the reservation says of it."""
    routed, _ = pair
    routed.client.indices.put_settings(index=routed.name, settings={"refresh_interval": "-1"})
    own_log = routed.audit.with_name("another.audit.jsonl")
    rules = OnVersion("skip", audit=own_log, lease=120.0)
    for number in range(4):  # some of them are in another shard than the id says
        text = make_text(number)
        with VersionPolicy(routed.client, routed.name, rules) as policy:
            first = {"_id": f"first-{number}", "_routing": f"r{number}", "text": text}
            assert routed.write([first], "skip") == {f"first-{number}": "written"}
            started = time.monotonic()
            (decision,) = policy.decide([{"_id": f"second-{number}", "text": text}])
        assert (decision.action, decision.other) == ("skip", f"first-{number}")
        assert time.monotonic() - started < 60


@pytest.mark.long
def test_an_index_that_requires_a_routing(client: Any, index_name: str, tmp_path: Path) -> None:
    required = Routed(client, index_name, tmp_path, True, _routing={"required": True})
    documents = corpus()
    required.put(required.lines({id: documents[id] for id in documents if len(id) == 1}))
    searched = Index(client, index_name)
    rest = {id: documents[id] for id in documents if len(id) == 2}
    assert Counter(required.write(required.lines(rest), "replace").values())["skipped"]
    assert list(searched.related(id=next(iter(required.documents())))) == []
    undone = required.undo()
    assert undone.failed == []
    assert required.documents() == documents
    assert {each.id for each in searched.related(id="1")} >= {"1v", "1c"}
    assert len(find_families(client, index_name).families) == 10
    # What was undone stands until it is lifted.
    for run in undone.runs:
        lift_undone(client, index_name, run)
    assert required.sweep("flag").decisions == {"flag": 20}
    required.require_own_routings()
    # A line without a routing is that of the document; a new one has none and fails.
    lines = [{"_id": "1", "text": "Other words."}, {"_id": "new", "text": "New words."}]
    statuses = {each.id: each for each in ingest(client, index_name, lines)}
    assert statuses["1"].status == "written"
    assert (statuses["new"].status, "routing" in str(statuses["new"].reason)) == (
        "failed",
        True,
    )
    with VersionPolicy(client, index_name, OnVersion("flag", audit=required.audit)) as policy:
        (decision,) = policy.decide([{"_id": "2", "text": documents["3"]["text"]}])
    assert (decision.action, decision.routing) == ("flag", required.routing_of("2"))
