"""A data stream that is rolled over: answers say what they leave out, runs bring it up to date."""

import itertools
import json
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index, InputError, MappingConflict, Scheme, SchemeMismatch
from es_simhash.cli.main import cli
from es_simhash.ingestion.bulk.document_batches import BatchLimits
from es_simhash.ingestion.bulk.target_index import TargetIndex
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.reports.page import report_html
from es_simhash.maintenance.reports.read import read_report
from es_simhash.maintenance.sweeps.family_policy import FamilyPolicy
from es_simhash.relation.references import LeftOutIndex
from es_simhash.store.elasticsearch import index_calls
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.install import install
from tests.support.aliases import RolledAlias
from tests.support.data_streams import TIME, DataStream
from tests.support.shelf import revised, text

pytestmark = pytest.mark.cluster

FIRST = text(1)


def without_template(stream: DataStream) -> None:
    """Give the fields to the indices that there are, and to no later one."""
    for request in install(stream.client, stream.name, dry_run=True):
        if request.path.endswith("/_mapping"):
            Gateway(stream.client).request(request.method, request.path, request.body)


@pytest.fixture
def rolled(client: Any, stream: DataStream) -> DataStream:
    """Two versions in the first index, which has fields; a third one in the second, without."""
    stream.put("a", FIRST)
    stream.put("b", revised(FIRST, 1))
    without_template(stream)
    list(Index(client, stream.name).backfill())
    client.indices.refresh(index=stream.name)
    stream.roll()
    stream.put("c", revised(FIRST, 2))
    return stream


def typed(*words: str) -> Any:
    return CliRunner().invoke(cli, list(words))


@pytest.fixture(autouse=True)
def at_the_cluster(cluster_url: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    monkeypatch.chdir(tmp_path)


@pytest.mark.long
def test_an_answer_leaves_out_what_has_no_fields_and_says_so(
    client: Any, rolled: DataStream
) -> None:
    newest = rolled.indices[-1]
    answer = Index(client, rolled.name).related(id="a")
    assert [relation.id for relation in answer] == ["b"]
    assert answer.left_out == (LeftOutIndex(newest),)
    assert answer[:1].left_out == answer.left_out
    # A document that is left out is compared by its text.
    assert {relation.id for relation in Index(client, rolled.name).related(id="c")} == {"a", "b"}
    # In JSON, beside a table, in a status and on a page.
    done = typed("related", rolled.name, "--id", "a", "--format", "json")
    (shown,) = json.loads(done.stdout)
    assert shown["left_out"] == [{"index": newest, "scheme": None}]
    done = typed("related", rolled.name, "--id", "a")
    assert done.exit_code == 0
    said = f"left out: index {newest} has no fingerprint fields. Run `es-simhash sweep`"
    assert said in done.stderr
    done = typed("status", rolled.name)
    assert f"left out      index {newest} has no fingerprint fields" in done.stdout
    page = report_html(read_report(Index(client, rolled.name)))
    assert f"Index {newest} is left out: it has no fingerprint fields." in page
    assert "1 document has no fingerprints" in page


@pytest.mark.long
def test_a_sweep_brings_it_up_to_date(client: Any, rolled: DataStream) -> None:
    index = Index(client, rolled.name)
    assert index.related(id="a").left_out
    install(client, rolled.name)  # the state index, which the template would make a data stream
    report = index.sweep()
    assert report.enriched["written"] == 1
    answer = Index(client, rolled.name).related(id="a")
    assert ({relation.id for relation in answer}, answer.left_out) == ({"b", "c"}, ())
    (family,) = index.families().families or [None]
    assert Index(client, rolled.name).family("c").documents == 3
    assert family is None or family.documents == 3


def test_a_backfill_brings_it_up_to_date(client: Any, rolled: DataStream) -> None:
    index = Index(client, rolled.name)
    assert [outcome.id for outcome in index.backfill()] == ["c"]
    client.indices.refresh(index=rolled.name)
    answer = Index(client, rolled.name).related(id="a")
    assert ({relation.id for relation in answer}, answer.left_out) == ({"b", "c"}, ())


def test_who_asks_for_long_sees_it_after_a_while(
    client: Any, rolled: DataStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(client, rolled.name)
    assert index.related(id="a").left_out
    list(Index(client, rolled.name).backfill())
    client.indices.refresh(index=rolled.name)
    assert {relation.id for relation in index.related(id="a")} == {"b", "c"}
    assert index.related(id="a").left_out
    monkeypatch.setattr(index_calls, "_LEFT_OUT_SECONDS", 0.0)
    assert index.related(id="a").left_out == ()
    newest = rolled.roll()
    assert index.related(id="a").left_out == (LeftOutIndex(newest),)


@pytest.mark.long
def test_a_rollover_in_the_middle_of_a_backfill_loses_and_doubles_nothing(
    client: Any, stream: DataStream
) -> None:
    ids = [f"d{number}" for number in range(30)]
    for number, id in enumerate(ids):
        stream.put(id, text(number))
    without_template(stream)
    run = Index(client, stream.name).backfill(settings=BackfillSettings(page=5, slices=1))
    outcomes = [next(run)]
    stream.roll()
    stream.put("late", revised(text(3), 1))
    outcomes += run
    assert sorted(outcome.id for outcome in outcomes) == sorted(ids)
    assert {outcome.status for outcome in outcomes} == {"written"}
    # What came meanwhile is said to be left out, and done by the next run, alone.
    answer = Index(client, stream.name).related(id="d3")
    assert [each.index for each in answer.left_out] == [stream.indices[-1]]
    assert [outcome.id for outcome in Index(client, stream.name).backfill()] == ["late"]
    assert list(Index(client, stream.name).backfill()) == []
    client.indices.refresh(index=stream.name)
    assert client.count(index=stream.name)["count"] == len(ids) + 1
    assert [relation.id for relation in Index(client, stream.name).related(id="d3")] == ["late"]


def test_documents_are_ingested_and_replaced_where_they_are(
    client: Any, stream: DataStream
) -> None:
    stream.put("old", FIRST)
    index = Index(client, stream.name)
    index.install()

    def ingest(*documents: tuple[str, str]) -> dict[str, str]:
        lines = [{"id": id, "@timestamp": TIME, "text": words} for id, words in documents]
        outcomes = {outcome.id: outcome.status for outcome in index.ingest(lines)}
        client.indices.refresh(index=stream.name)
        return outcomes

    assert ingest(("n1", text(2)), ("old", revised(FIRST, 1))) == {
        "n1": "written",
        "old": "written",
    }
    stream.roll()
    # An id of an earlier index is replaced there: it names one document of the stream.
    assert ingest(("n1", text(2)), ("old", revised(FIRST, 2)), ("n2", text(3))) == {
        "n1": "unchanged",
        "old": "written",
        "n2": "written",
    }
    assert client.count(index=stream.name)["count"] == 3
    hits = client.search(index=stream.name, size=10)["hits"]["hits"]
    places = {hit["_id"]: hit["_index"] for hit in hits}
    assert places == {"old": stream.indices[0], "n1": stream.indices[0], "n2": stream.indices[1]}
    texts = {hit["_id"]: hit["_source"]["text"] for hit in hits}
    assert texts["old"] == revised(FIRST, 2)
    assert all(hit["_source"]["simhash"]["scheme"] == Scheme().name for hit in hits)


def test_of_two_documents_with_one_id_in_different_batches_the_second_replaces_the_first(
    client: Any, stream: DataStream
) -> None:
    stream.put("first", FIRST)
    index = Index(client, stream.name)
    index.install()
    lines = [{"id": "n", "@timestamp": TIME, "text": text(number)} for number in range(2)]
    settings = IngestSettings(limits=BatchLimits(documents=1))
    run = index.ingest(lines, settings=settings)
    assert [outcome.status for outcome in run] == ["written", "written"]
    client.indices.refresh(index=stream.name)
    assert client.count(index=stream.name)["count"] == 2
    (hit,) = client.search(index=stream.name, query={"ids": {"values": ["n"]}})["hits"]["hits"]
    assert hit["_source"]["text"] == text(1)


@pytest.mark.long
def test_a_rollover_in_the_middle_of_an_ingest_is_not_seen_in_what_is_written(
    client: Any, stream: DataStream
) -> None:
    stream.put("first", FIRST)
    index = Index(client, stream.name)
    index.install()
    lines = [{"id": f"n{number}", "@timestamp": TIME, "text": text(number)} for number in range(20)]
    settings = IngestSettings(limits=BatchLimits(documents=4))
    run = index.ingest(lines, settings=settings)
    outcomes = [next(run)]
    stream.roll()
    outcomes += run
    assert {outcome.status for outcome in outcomes} == {"written"}
    client.indices.refresh(index=stream.name)
    assert client.count(index=stream.name)["count"] == 21
    assert Index(client, stream.name).related(id="n1").left_out == ()
    mappings = Gateway(client).mappings(stream.name)
    assert len({json.dumps(each["properties"]["simhash"]) for each in mappings.values()}) == 1


def statuses(outcomes: Any) -> dict[str, str]:
    return {str(outcome.id): str(outcome.status) for outcome in outcomes}


def test_documents_of_an_alias_are_replaced_where_they_are(client: Any, alias: RolledAlias) -> None:
    index = Index(client, alias.name)
    lines = [{"id": f"n{number}", "text": text(number)} for number in range(3)]
    assert set(statuses(index.ingest(lines)).values()) == {"written"}
    alias.roll()
    changed = {"id": "n1", "text": revised(text(1), 1)}
    outcomes = index.ingest([lines[0], changed, {"id": "new", "text": text(3)}])
    assert statuses(outcomes) == {"n0": "unchanged", "n1": "written", "new": "written"}
    first, second = alias.indices
    assert alias.places() == {"n0": first, "n1": first, "n2": first, "new": second}
    assert client.get(index=first, id="n1")["_source"]["text"] == changed["text"]


@pytest.mark.long
def test_versions_in_an_alias_are_flagged_and_undone_where_they_are(
    client: Any, alias: RolledAlias
) -> None:
    index = Index(client, alias.name)
    lines = [{"id": f"n{number}", "text": text(number)} for number in range(3)]
    assert all(outcome.ok for outcome in index.ingest(lines))
    alias.roll()
    lines = [{"id": id, "text": revised(text(1), number)} for number, id in ((1, "n2"), (2, "new"))]
    assert set(statuses(index.ingest(lines, on_version="flag")).values()) == {"written"}
    first, second = alias.indices
    assert alias.places() == {"n0": first, "n1": first, "n2": first, "new": second}
    assert alias.flagged() == {"n2", "new"}
    report = index.undo(f"{alias.name}.audit.jsonl")
    assert (report.unmarked, report.unchanged, report.failed) == (2, 0, [])
    assert alias.flagged() == set()


@pytest.mark.long
def test_an_alias_that_is_rolled_over_in_the_middle_of_an_ingest_doubles_nothing(
    client: Any, alias: RolledAlias, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(client, alias.name)
    lines = [{"id": f"n{number}", "text": text(number)} for number in range(20)]
    assert all(outcome.ok for outcome in index.ingest(lines))
    changed = [{**line, "text": revised(str(line["text"]), 1)} for line in lines]
    write, is_first = TargetIndex.write, itertools.count()

    def writing(self: TargetIndex, *arguments: Any) -> Any:
        # Batches that are under way were looked up before.
        if next(is_first) == 0:
            alias.roll()
        return write(self, *arguments)

    monkeypatch.setattr(TargetIndex, "write", writing)
    settings = IngestSettings(limits=BatchLimits(documents=4))
    outcomes = list(index.ingest(changed, settings=settings))
    assert len(alias.indices) == 2
    assert set(statuses(outcomes).values()) == {"written"}
    assert alias.places() == dict.fromkeys(statuses(outcomes), alias.indices[0])


def test_what_is_written_to_an_index_that_comes_during_a_sweep_is_decided_by_the_next(
    client: Any, alias: RolledAlias, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(client, alias.name)
    assert all(outcome.ok for outcome in index.ingest([{"id": "a", "text": FIRST}]))
    index.sweep()
    assert all(outcome.ok for outcome in index.ingest([{"id": "b", "text": text(9)}]))
    decide = FamilyPolicy.decide

    def decided(self: FamilyPolicy, *arguments: Any) -> None:
        decide(self, *arguments)
        alias.roll()
        copy = client.get(index=alias.indices[0], id="a")["_source"]
        client.index(index=alias.name, id="late", document=copy)

    with monkeypatch.context() as patched:
        patched.setattr(FamilyPolicy, "decide", decided)
        assert not index.sweep(on_version="flag").decisions
    assert alias.flagged() == set()
    assert index.sweep(on_version="flag").decisions == {"flag": 1}
    assert alias.flagged() == {"late"}


@pytest.mark.long
def test_versions_are_decided_in_a_data_stream_by_a_sweep(client: Any, stream: DataStream) -> None:
    stream.put("a", FIRST)
    index = Index(client, stream.name)
    index.install()
    lines = [{"id": "b", "@timestamp": TIME, "text": revised(FIRST, 1)}]
    with pytest.raises(InputError, match=r"sweep .* --on-version"):
        list(index.ingest(lines, on_version="flag"))
    index.sweep(on_version="flag")
    stream.roll()
    assert [outcome.status for outcome in index.ingest(lines)] == ["written"]
    report = index.sweep(on_version="flag")
    assert report.decisions == {"flag": 1}
    client.indices.refresh(index=stream.name)
    (hit,) = client.search(index=stream.name, query={"ids": {"values": ["b"]}})["hits"]["hits"]
    assert hit["_source"]["simhash"]["duplicate_of"] == "a"


def test_a_state_index_that_a_template_would_make_a_data_stream_is_one_sentence(
    client: Any, rolled: DataStream
) -> None:
    with pytest.raises(InputError, match="cannot be created, as an index template makes a data"):
        Index(client, rolled.name).sweep()
    done = typed("sweep", rolled.name)
    assert done.exit_code == 1
    assert "Run `es-simhash install` of the data stream" in done.stderr


@pytest.mark.long
def test_indices_of_two_schemes_are_asked_by_one_and_written_by_their_own_names(
    client: Any, index_name: str, discard: Any
) -> None:
    old, new = f"{index_name}-1", f"{index_name}-2"
    discard(old, new)
    for name, scheme in ((old, Scheme(blocks=16)), (new, Scheme())):
        install(client, name, scheme=scheme, semantics=None)
        client.indices.put_alias(index=name, name=index_name)
        lines = [{"id": f"{name}-{number}", "text": revised(FIRST, number)} for number in (1, 2)]
        assert all(outcome.ok for outcome in Index(client, name).ingest(lines))
    client.indices.refresh(index=index_name)
    answer = Index(client, index_name).related(id=f"{new}-1")
    assert [relation.id for relation in answer] == [f"{new}-2"]
    assert answer.left_out == (LeftOutIndex(old, Scheme(blocks=16).name),)
    with pytest.raises(SchemeMismatch, match="has fingerprints of scheme"):
        Index(client, index_name).related(id=f"{old}-1")
    done = typed("related", index_name, "--id", f"{new}-1")
    assert f"left out: index {old} has fingerprints of another scheme" in done.stderr
    assert "Query it by its own name" in done.stderr
    sentence = f"Index '{old}' behind '{index_name}' has fingerprints of another scheme"
    for write in (
        lambda index: list(index.ingest([{"id": "x", "text": FIRST}])),
        lambda index: list(index.backfill()),
        lambda index: index.sweep(),
    ):
        with pytest.raises(MappingConflict, match=sentence):
            write(Index(client, index_name))


def test_an_index_of_another_cluster_is_one_sentence(client: Any) -> None:
    with pytest.raises(InputError, match="'paris:articles' is in another cluster"):
        Index(client, "paris:articles").related(text=FIRST)
    done = typed("related", "articles,paris:articles", "--text", FIRST)
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "Connect to that cluster by its own address." in done.stderr
