"""An index moves to another scheme while it is used, is switched at once, and can go back."""

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from es_simhash import (
    FamilyOptions,
    Index,
    IndexConfig,
    MappingConflict,
    Scheme,
    SchemeError,
    UpgradeOptions,
)
from es_simhash.errors import ClusterError
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.maintenance.backfills.backfill_job import Selection
from es_simhash.maintenance.diagnostics.index_state import count_documents
from es_simhash.maintenance.families.find_families import stored_families
from es_simhash.maintenance.upgrades import upgrade as upgrading
from es_simhash.maintenance.upgrades.upgrade import upgrade
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.fields import DECIDED
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.mapping_meta import current_field, first_field, upgraded_fields
from tests.support.data_streams import DataStream
from tests.support.made_up_texts import make_text, revise
from tests.support.shelf import text

pytestmark = pytest.mark.cluster

# What was left by the last release of each earlier version of the mapping.
EARLIER = ("oldest_index", "index_of_version_2", "index_of_version_3")
FIRST, NEW = Scheme(blocks=16), Scheme()
TEXT = make_text(1, 120)
DOCUMENTS = [
    {"id": "1", "body": TEXT, "n": 1},
    {"id": "2", "body": revise(TEXT, 2, 0.05), "n": 2},
    {"id": "3", "body": make_text(3, 90), "n": 3},
    {"id": "4", "body": make_text(4, 90), "n": 4},
    {"id": "5", "body": "", "n": 5},
]


@pytest.fixture
def name(discard: Any) -> str:
    name = f"test-{uuid.uuid4().hex}"
    discard(name, f"{name}-simhash")
    return name


@pytest.fixture
def index(client: Any, name: str) -> Index:
    """An index of another scheme, with families, decisions and settings."""
    made = Index(client, name)
    made.install(scheme=FIRST.name)
    assert all(
        each.ok for each in Index(client, name, IndexConfig(text_field="body")).ingest(DOCUMENTS)
    )
    client.indices.refresh(index=name)
    made.configure({"text": "body", "version_threshold": 0.5})
    made.dismiss("1", "3")
    made.join(["3", "4"])
    made.families()
    client.indices.refresh(index=name)
    return made


def members_of(client: Any, name: str, field: str, id: str = "1") -> Any:
    return client.get(index=name, id=id)["_source"].get(field)


def related(index: Index, id: str = "1") -> list[tuple[str, str]]:
    return [(relation.id, relation.kind) for relation in index.related(id=id)]


@pytest.mark.long
def test_the_scheme_is_switched_with_families_decisions_and_settings(
    client: Any, name: str, index: Index
) -> None:
    before, families = related(index), stored_families(client, name)
    assert before[0][0] == "2"
    dry = index.upgrade(UpgradeOptions(dry_run=True))
    assert (dry.before, dry.after, dry.written) == (FIRST.name, NEW.name, 5)
    assert (dry.field_before, dry.field) == ("simhash", "simhash_2")
    assert index.config.scheme == FIRST
    report = index.upgrade()
    assert (report.written, report.failed, report.carried) == (5, 0, 5)
    assert (index.config.scheme, index.config.simhash_field) == (NEW, "simhash_2")
    assert index.config.state_field == "simhash"
    assert index.settings().text == "body"
    assert index.settings().version_threshold == 0.5
    assert related(index) == before
    assert {pair.ids for pair in index.manual_pairs()} == {("1", "3"), ("3", "4")}
    for id in "1234":
        old, new = (members_of(client, name, field, id) for field in ("simhash", "simhash_2"))
        assert (new["family"], new["representative"]) == (old["family"], old["representative"])
        assert (old["scheme"], new["scheme"]) == (FIRST.name, NEW.name)
    client.indices.refresh(index=name)
    assert stored_families(client, name) == families
    index.families()
    client.indices.refresh(index=name)
    assert stored_families(client, name) == families
    # Nothing is left to do.
    again = index.upgrade()
    assert (again.written, again.carried, again.field) == (0, 0, "simhash_2")
    # What is written now has the new scheme alone, and decisions are known to it.
    assert all(each.ok for each in index.ingest([{"id": "6", "body": TEXT, "n": 6}]))
    assert set(client.get(index=name, id="6")["_source"]) >= {"body", "simhash_2"}
    assert "simhash" not in client.get(index=name, id="6")["_source"]
    client.indices.refresh(index=name)
    assert "6" in dict(related(index))
    assert index.install() == []
    index.dismiss("2", "4")
    assert ("2", "4") in {pair.ids for pair in index.manual_pairs()}


@pytest.mark.long
def test_an_upgrade_leads_back_and_forth(client: Any, name: str, index: Index) -> None:
    before = related(index)
    index.upgrade()
    list(index.ingest([{"id": "6", "body": TEXT, "n": 6}]))
    client.indices.refresh(index=name)
    back = index.upgrade(UpgradeOptions(revert=True, dry_run=True))
    assert (back.field, back.written) == ("simhash", 1)
    back = index.upgrade(UpgradeOptions(revert=True))
    assert (back.before, back.after) == (NEW.name, FIRST.name)
    assert index.config.scheme == FIRST
    client.indices.refresh(index=name)
    assert {"2", "6"} <= set(dict(related(index)))
    with pytest.raises(MappingConflict, match="nothing to revert"):
        index.upgrade(UpgradeOptions(revert=True))
    client.delete(index=name, id="6", refresh=True)
    forth = index.upgrade()
    assert (forth.field, forth.written) == ("simhash_2", 0)
    assert related(index) == before
    # A third scheme continues the first as well.
    third = index.upgrade(UpgradeOptions(scheme=Scheme(blocks=4).name))
    assert third.field == "simhash_3"
    assert index.config.state_field == "simhash"
    finished = index.upgrade(UpgradeOptions(scheme=Scheme(blocks=4).name, finish=True))
    assert (finished.written, finished.emptied) == (0, 10)
    assert members_of(client, name, "simhash") is None
    assert members_of(client, name, "simhash_2") is None
    client.indices.refresh(index=name)
    assert related(index) == before
    removed = index.uninstall()
    assert removed.documents == 5
    assert not Gateway(client).mappings(name)[name].get("_meta", {}).get("es_simhash")
    assert members_of(client, name, "simhash_3") is None


def test_what_was_decided_since_a_switch_is_carried_back_and_forth(
    client: Any, name: str, index: Index
) -> None:
    def decided(field: str, id: str) -> Any:
        stored = members_of(client, name, field, id)
        return [stored.get(member) for member in DECIDED]

    def is_one_family(field: str) -> bool:
        return bool(decided(field, "3")[0] == decided(field, "4")[0])

    index.upgrade()
    assert is_one_family("simhash_2")
    index.join(["3", "4"], undo=True)
    client.update(index=name, id="2", doc={"simhash_2": {"duplicate_of": "1"}}, refresh=True)
    index.families()
    index.upgrade(UpgradeOptions(revert=True))
    assert not is_one_family("simhash")
    assert members_of(client, name, "simhash", "2")["duplicate_of"] == "1"
    for id in "12345":
        assert decided("simhash", id) == decided("simhash_2", id)
    # And what was taken back since is not there again.
    index.join(["3", "4"])
    client.update(index=name, id="2", doc={"simhash": {"duplicate_of": None}}, refresh=True)
    index.families()
    index.upgrade(UpgradeOptions(finish=True))
    assert is_one_family("simhash_2")
    assert members_of(client, name, "simhash_2", "2")["duplicate_of"] is None
    with pytest.raises(MappingConflict, match="Nothing leads back"):
        index.upgrade(UpgradeOptions(revert=True))
    assert index.config.simhash_field == "simhash_2"


def write_another_text(client: Any, index: Index, id: str, text: str) -> None:
    """Change the text alone, and the fingerprints of the scheme that the index has now."""
    client.update(index=index.name, id=id, doc={"body": text}, refresh=True)
    done = index.backfill(selection=Selection(check=True))
    assert [each.id for each in done if each.status == "written"] == [id]
    client.indices.refresh(index=index.name)


def test_a_text_that_was_changed_since_there_were_fingerprints_of_both_gets_new_ones(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hash_of(field: str, id: str) -> Any:
        return members_of(client, name, field, id)["content_hash"]

    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    # Between an upgrade that was ended and the one that resumes it.
    with monkeypatch.context() as patch:
        patch.setattr(upgrading._Upgrade, "_switch", ended)
        with pytest.raises(KeyboardInterrupt):
            index.upgrade()
    three, four = (revise(TEXT, seed, 0.05) for seed in (3, 4))
    write_another_text(client, index, "3", three)
    assert index.upgrade().written == 1
    assert hash_of("simhash_2", "3") == fingerprint(three).content_hash
    client.indices.refresh(index=name)
    assert dict(related(index))["2"] == "version"
    assert "3" in dict(related(index, "2"))
    # And between the upgrade, the way back, and the way forth.
    write_another_text(client, index, "4", four)
    back = index.upgrade(UpgradeOptions(revert=True))
    assert back.written == 1
    assert hash_of("simhash", "4") == fingerprint(four).content_hash
    client.indices.refresh(index=name)
    assert "4" in dict(related(index, "2"))
    write_another_text(client, index, "4", make_text(4, 90))
    assert index.upgrade().written == 1
    assert hash_of("simhash_2", "4") == fingerprint(make_text(4, 90)).content_hash
    client.indices.refresh(index=name)
    assert "4" not in dict(related(index, "2"))


@pytest.mark.parametrize("revert", [False, True])
def test_what_was_changed_and_decided_before_a_switch_is_there_after_a_run_that_was_ended_behind_it(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch, *, revert: bool
) -> None:
    switch = upgrading._Upgrade._switch
    another = revise(TEXT, 7, 0.05)

    def ended(self: Any, *fields: Any) -> None:
        # Others change and decide until the last moment.
        write_another_text(client, index, "3", another)
        index.families(options=FamilyOptions("newest", "n"))
        switch(self, *fields)
        raise KeyboardInterrupt

    if revert:
        index.upgrade()
        list(index.ingest([{"id": "6", "body": TEXT, "n": 6}]))
        client.indices.refresh(index=name)
    options = UpgradeOptions(revert=revert)
    before, after = ("simhash_2", "simhash") if revert else ("simhash", "simhash_2")
    with monkeypatch.context() as patch:
        patch.setattr(upgrading._Upgrade, "_switch", ended)
        with pytest.raises(KeyboardInterrupt):
            index.upgrade(options)
    assert index.config.simhash_field == after
    dry = index.upgrade(replace(options, dry_run=True))
    assert (dry.field, dry.written) == (after, int(revert))
    report = index.upgrade(options)
    assert (report.field, report.written) == (after, 1 + revert)
    stored = members_of(client, name, after, "3")
    assert stored["content_hash"] == fingerprint(another).content_hash
    for id in "12346" if revert else "1234":
        old, new = (members_of(client, name, field, id) for field in (before, after))
        assert new["family"] == old["family"]
    # Nothing is left to do, and it is not taken for another way back.
    assert "unfinished_from" not in str(client.indices.get_mapping(index=name))
    if revert:
        with pytest.raises(MappingConflict, match="nothing to revert"):
            index.upgrade(options)
    else:
        assert index.upgrade().written == 0


def test_a_way_back_that_was_ended_is_finished_before_the_next_way_forth(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object) -> None:
        raise KeyboardInterrupt

    for options in (UpgradeOptions(), UpgradeOptions(revert=True), UpgradeOptions()):
        with monkeypatch.context() as patch:
            patch.setattr(upgrading._Upgrade, "_caught_up", lambda self, report, field: report)
            patch.setattr(upgrading._Upgrade, "_finished", ended)
            index.upgrade(options)
        field = index.config.simhash_field
        write_another_text(client, index, "3", revise(TEXT, len(field), 0.05))
    index.upgrade(UpgradeOptions(scheme=Scheme(blocks=4).name))
    texts = [members_of(client, name, field, "3") for field in ("simhash_2", "simhash_3")]
    assert texts[0]["content_hash"] == texts[1]["content_hash"]
    assert "unfinished_from" not in str(client.indices.get_mapping(index=name))


@pytest.mark.long
def test_a_run_that_was_ended_anywhere_is_resumed(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = related(index)
    # It is ended before its first request that writes, before its second, and so on.
    count = sent = 0

    class Ended(Gateway):
        def send(self, method: str, path: str, *args: Any, **options: Any) -> Any:
            nonlocal sent
            if method == "PUT" or path.endswith("_bulk"):
                sent += 1
                if sent > count:
                    raise KeyboardInterrupt
            return super().send(method, path, *args, **options)

        @classmethod
        def of(cls, client: Any, retry: Any = None) -> Any:
            return cls(getattr(client, "_client", client), retry)

    while True:
        sent = 0
        try:
            monkeypatch.setattr("es_simhash.maintenance.backfills.backfill.Gateway", Ended)
            upgrade(Ended(client), name)
        except KeyboardInterrupt:
            monkeypatch.undo()
            client.indices.refresh(index=name)
            # Whatever is done by now, questions are answered by one scheme or the other.
            assert related(Index(client, name)) == before
            count += 1
            continue
        break
    assert count >= 3
    assert index.upgrade().written == 0
    assert Index(client, name).config.scheme == NEW


def test_a_question_that_was_opened_before_sees_the_switch(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Index(client, name)
    assert opened.config.simhash_field == "simhash"
    index.upgrade()
    index.upgrade(UpgradeOptions(finish=True))
    monkeypatch.setattr("es_simhash.store.elasticsearch.index_calls._LEFT_OUT_SECONDS", 0)
    client.indices.refresh(index=name)
    assert related(opened)[0][0] == "2"
    assert opened.config.simhash_field == "simhash_2"


def test_a_text_that_is_changed_before_the_switch_gets_new_fingerprints(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    three, complete = revise(TEXT, 3, 0.05), upgrading._Upgrade._require_complete

    def changed(run: Any, field: str) -> None:
        complete(run, field)
        write_another_text(client, Index(client, name), "3", three)

    monkeypatch.setattr(upgrading._Upgrade, "_require_complete", changed)
    assert index.upgrade().field == "simhash_2"
    stored = members_of(client, name, "simhash_2", "3")["content_hash"]
    assert stored == fingerprint(three).content_hash


@pytest.mark.long
def test_what_others_write_meanwhile_is_fingerprinted_before_the_switch(
    client: Any, name: str, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = iter(["7", "8"])
    filled = upgrading.backfill

    def backfill_and_write(*args: Any, **options: Any) -> Iterator[Any]:
        yield from filled(*args, **options)
        if id := next(others, None):
            writer = Index(client, name)
            assert all(each.ok for each in writer.ingest([{"id": id, "body": TEXT}]))

    monkeypatch.setattr(upgrading, "backfill", backfill_and_write)
    assert index.upgrade().failed == 0
    assert members_of(client, name, "simhash_2", "7")["scheme"] == NEW.name
    assert members_of(client, name, "simhash_2", "8")["scheme"] == NEW.name
    monkeypatch.setattr(upgrading, "backfill", lambda *args, **options: iter(()))
    with pytest.raises(ClusterError, match="faster than they are fingerprinted"):
        index.upgrade(UpgradeOptions(scheme=Scheme(blocks=4).name))
    assert Index(client, name).config.scheme == NEW


def put_earlier(client: Any, name: str, earlier: str) -> list[str]:
    """Write an index of an earlier version, and its state; return the ids of its documents."""
    left = json.loads((Path(__file__).parent / f"{earlier}.json").read_text("utf-8"))
    written = {name: (left["mappings"], left["documents"])}
    if "state" in left:
        written[f"{name}-simhash"] = (left["state"]["mappings"], left["state"]["entries"])
    for index, (mappings, documents) in written.items():
        client.indices.create(index=index, mappings=mappings)
        for document in documents:
            source = {key: value for key, value in document.items() if key != "id"}
            client.index(index=index, id=document["id"], document=source)
        client.indices.refresh(index=index)
    return [document["id"] for document in left["documents"]]


@pytest.mark.long
@pytest.mark.parametrize("earlier", EARLIER)
def test_an_index_of_an_earlier_version_says_what_to_run_and_moves(
    client: Any, name: str, earlier: str
) -> None:
    ids = put_earlier(client, name, earlier)
    families = {id: members_of(client, name, "simhash", id).get("family") for id in ids}
    index = Index(client, name)
    for ask in (
        lambda: index.related(id="1"),
        lambda: list(index.backfill()),
        lambda: index.families(),
        lambda: index.sweep(),
    ):
        with pytest.raises(SchemeError, match=r"[Rr]un `es-simhash upgrade"):
            ask()
    report = index.upgrade()
    assert (report.field, report.written, report.failed) == ("simhash_2", len(ids), 0)
    client.indices.refresh(index=name)
    assert related(index) == [("2", "version")]
    # Families and decisions are those of the earlier version; the first one had none.
    moved = {id: members_of(client, name, "simhash_2", id).get("family") for id in ids}
    assert moved == families
    decided = {pair.ids for pair in index.manual_pairs()}
    assert decided == (set() if earlier == EARLIER[0] else {("1", "3")})
    with pytest.raises(MappingConflict, match="does not compute scheme"):
        index.upgrade(UpgradeOptions(revert=True))
    index.upgrade(UpgradeOptions(finish=True))
    assert members_of(client, name, "simhash") is None
    index.uninstall()
    assert members_of(client, name, "simhash_2") is None


def test_where_the_scheme_stays_fields_and_documents_are_completed(client: Any, name: str) -> None:
    client.index(index=name, id="1", document={"text": text(1)}, refresh=True)
    index = Index(client, name)
    index.install(semantics=None)
    dry = index.upgrade(UpgradeOptions(dry_run=True))
    assert (dry.field, dry.written) == ("simhash", 1)
    report = index.upgrade()
    assert (report.field, report.written) == ("simhash", 1)
    assert index.upgrade().written == 0


def test_sidecars_streams_and_indices_without_fields_are_refused(
    client: Any, name: str, discard: Any, stream: DataStream
) -> None:
    client.index(index=name, id="1", document={"text": text(1)}, refresh=True)
    with pytest.raises(MappingConflict, match="has no fingerprint fields"):
        upgrade(client, name)
    sidecar = f"{name}-near"
    discard(sidecar)
    list(Index(client, name).backfill(sidecar=sidecar))
    with pytest.raises(MappingConflict, match="is the sidecar of"):
        upgrade(client, sidecar)
    stream.put("a", text(1))
    Index(client, stream.name).install(scheme=FIRST.name)
    with pytest.raises(MappingConflict, match="is a data stream"):
        upgrade(client, stream.name)


def mapping(**entries: dict[str, Any]) -> dict[str, Any]:
    return {"i": {"_meta": {"es_simhash": entries}}}


def test_fields_are_followed_and_no_circle_is_endless() -> None:
    mappings = mapping(
        simhash={"moved_to": "simhash_2"}, simhash_2={"moved_from": "simhash"}, other={}
    )
    assert current_field(mappings, "simhash") == "simhash_2"
    assert first_field(mappings, "simhash_2") == "simhash"
    assert upgraded_fields(mappings, "simhash") == ["simhash_2"]
    assert current_field({"i": {}}, "simhash") == "simhash"
    circle = mapping(a={"moved_to": "b"}, b={"moved_to": "a"})
    assert current_field(circle, "a") in ("a", "b")


@pytest.mark.long
def test_a_semantic_scheme_of_an_earlier_version_moves_as_well(client: Any, name: str) -> None:
    index = Index(client, name, IndexConfig(text_field="body"))
    index.install(semantics=SemanticScheme(language="en"))
    assert all(each.ok for each in index.ingest(DOCUMENTS))
    client.indices.refresh(index=name)
    index.configure({"text": "body"})
    meta = client.indices.get_mapping(index=name)[name]["mappings"]["_meta"]
    semantics = meta["es_simhash"]["simhash"]["semantics"]
    now = semantics["name"]
    semantics["name"] = earlier = re.sub(r"\.v\d+$", ".v1", now)
    client.indices.put_mapping(index=name, meta=meta)
    with pytest.raises(SchemeError, match=rf"{earlier}.*{now}.*es-simhash upgrade"):
        Index(client, name).related(id="1")
    report = Index(client, name).upgrade()
    assert (report.written, report.field) == (5, "simhash_2")
    assert report.before == f"{NEW.name} and {earlier}"
    assert report.after == f"{NEW.name} and {now}"
    client.indices.refresh(index=name)
    moved = Index(client, name)
    assert related(moved)[0] == ("2", "version")
    assert moved.config.semantics == SemanticScheme(language="en")
    again = moved.upgrade()
    assert (again.written, again.field) == (0, "simhash_2")
    with pytest.raises(MappingConflict, match=earlier):
        moved.upgrade(UpgradeOptions(revert=True))


def as_written_earlier(client: Any, name: str) -> str:
    """Give an index, its background and its vectors a semantic scheme of an earlier version."""
    meta = client.indices.get_mapping(index=name)[name]["mappings"]["_meta"]
    semantics = meta["es_simhash"]["simhash"]["semantics"]
    earlier = re.sub(r"\.v\d+$", ".v1", semantics["name"])
    semantics["name"] = earlier
    client.indices.put_mapping(index=name, meta=meta)
    learned = {"terms": {"kind": ["background", "vectors"]}}
    for hit in client.search(index=f"{name}-simhash", query=learned)["hits"]["hits"]:
        client.update(index=hit["_index"], id=hit["_id"], doc={"scheme": earlier})
    client.indices.refresh(index=f"{name}-simhash")
    return earlier


def learned_names(client: Any, name: str, field: str) -> tuple[Any, Any]:
    """Return the names of the background and of the vectors that are kept of a field."""
    state = StateIndex(client, name, field)
    return tuple((entry or {}).get("name") for entry in (state.background(), state.table_head()))


def status_of(client: Any, name: str) -> Any:
    client.indices.refresh(index=name)
    return count_documents(client, name)


@pytest.mark.long
def test_a_background_and_vectors_of_an_earlier_scheme_are_made_anew(
    client: Any, news_index: tuple[Any, str]
) -> None:
    _, name = news_index
    Index(client, name).count_background(vectors=True)
    list(Index(client, name).backfill())
    client.indices.refresh(index=name)
    before = Index(client, name).related(id="n0000")
    assert before.other_vectors == 0
    earlier, kept = as_written_earlier(client, name), learned_names(client, name, "simhash")
    report = Index(client, name).upgrade()
    assert (report.written, report.failed, report.field) == (300, 0, "simhash_2")
    assert report.before == f"{NEW.name} and {earlier}"
    client.indices.refresh(index=name)
    moved = Index(client, name)
    after = moved.related(id="n0000")
    # Made of the same texts: the same neighbours, whose vectors are all of the new table.
    assert [relation.id for relation in after] == [relation.id for relation in before]
    assert after.other_vectors == 0
    background, table = learned_names(client, name, "simhash_2")
    assert status_of(client, name).background.name == background
    assert status_of(client, name).vectors.coverage.current == 300
    # Who still reads the first object has what belongs to it.
    assert learned_names(client, name, "simhash") == kept
    assert None not in (background, table, *kept)
    # What is counted, learned and written from now on belongs to the new scheme.
    moved.count_background(vectors=True)
    assert learned_names(client, name, "simhash") == kept
    moved.sweep()
    # Another scheme of fingerprints goes on with them: nothing is counted or learned again.
    learned = learned_names(client, name, "simhash_2")
    third = moved.upgrade(UpgradeOptions(scheme=FIRST.name))
    assert third.field == "simhash_3"
    assert learned_names(client, name, "simhash_3") == (None, None)
    assert status_of(client, name).background.name == learned[0]
    assert status_of(client, name).vectors.coverage.current == 300
    moved.upgrade(UpgradeOptions(scheme=FIRST.name, finish=True))
    assert learned_names(client, name, "simhash") == (None, None)
    assert learned_names(client, name, "simhash_2") == learned
    removed = Index(client, name).uninstall()
    assert not client.indices.exists(index=f"{name}-simhash")
    assert removed.documents == 300


@pytest.mark.long
def test_learning_that_was_ended_anywhere_is_resumed(
    client: Any, news_index: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, name = news_index
    Index(client, name).count_background(vectors=True)
    list(Index(client, name).backfill())
    as_written_earlier(client, name)
    sent = ended = 0

    class Ended(Gateway):
        def send(self, method: str, path: str, *args: Any, **options: Any) -> Any:
            nonlocal sent
            if f"{name}-simhash" in path and path.endswith("_bulk"):
                sent += 1
                if sent > ended:
                    raise KeyboardInterrupt
            return super().send(method, path, *args, **options)

    while True:
        sent = 0
        try:
            upgrade(Ended(client), name)
            break
        except KeyboardInterrupt:
            ended += 1
            client.indices.refresh(index=f"{name}-simhash")
    # The vectors and the background are written by a request each.
    assert ended >= 2
    client.indices.refresh(index=name)
    status = status_of(client, name)
    assert status.background.problem is None
    assert status.vectors.problem is None
    assert status.vectors.coverage.current == 300
    entries = StateIndex(client, name, "simhash_2").hits("vectors_part")
    head = StateIndex(client, name, "simhash_2").table_head()
    assert {hit["_source"]["table"] for hit in entries} == {head["name"]}
