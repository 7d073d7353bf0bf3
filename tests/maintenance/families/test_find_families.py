"""Families of a real index: written, kept up to date, dismissed, and used in a search."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash import DocumentMissing, InputError, MappingConflict
from es_simhash.ingestion.bulk.journal_file import INDEX, UUIDS
from es_simhash.maintenance.families import family_reader, link_graph, whole_run
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.maintenance.families.run_files import RunFiles
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.pairs import spilled_postings
from es_simhash.relation.thresholds import VERSION_SCORE
from es_simhash.store.config import IndexConfig
from es_simhash.store.memory import MemorySnapshot, MemoryStore
from tests.support.shelf import in_memory

pytestmark = pytest.mark.cluster

Texts = dict[str, str]


@pytest.mark.variants
@pytest.mark.usefixtures("way")
def test_families_are_those_of_the_oracle(shelf: Any, texts: Texts) -> None:
    shelf.put({**texts, "empty": "...", "copy": texts["t1-1"].upper()})
    shelf.find()
    expected = in_memory({**texts, "empty": "...", "copy": texts["t1-1"].upper()})
    assert shelf.families() == expected
    assert frozenset({"t1-1", "t1-2", "t1-3", "copy"}) in expected


@pytest.mark.long
def test_every_document_has_a_family_and_a_second_run_writes_nothing(
    shelf: Any, texts: Texts
) -> None:
    shelf.put(texts)
    first = shelf.find()
    assert first.written == len(texts)
    names = shelf.names()
    assert None not in names.values()
    again = shelf.find()
    assert (again.written, again.queried, again.documents) == (0, 0, 0)
    everything = shelf.find(everything=True)
    assert (everything.written, everything.documents) == (0, len(texts))
    assert shelf.names() == names


def test_what_runs_before_left_is_read_with_one_search(
    shelf: Any, texts: Texts, requests_of: list[str]
) -> None:
    shelf.put(texts)
    shelf.find()
    requests_of.clear()
    shelf.find()
    state = f"/{shelf.name}-simhash"
    assert [each for each in requests_of if state in each] == [f"POST {state}/_search"]
    # As nothing was written, nothing is refreshed or counted at the end.
    assert requests_of[-1] == f"GET /{shelf.name}/_stats/docs"
    assert requests_of.count(f"POST /{shelf.name}/_refresh") == 1


@pytest.mark.long
def test_what_a_run_leaves_is_written_with_one_request(
    shelf: Any, texts: Texts, client: Any, requests_of: list[str]
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss, join

    shelf.put(texts)
    dismiss(client, shelf.name, "t1-1", "t1-2")
    join(client, shelf.name, ["t2-1", "t3-1"])
    requests_of.clear()
    shelf.find()
    state = f"/{shelf.name}-simhash"
    written = [each for each in requests_of if state in each and "_search" not in each]
    assert written == [f"HEAD {state}", f"POST {state}/_bulk"]
    requests_of.clear()
    shelf.find()
    assert not [each for each in requests_of if f"{state}/_bulk" in each]


@pytest.mark.long
def test_a_dry_run_says_the_same_and_writes_nothing(shelf: Any, texts: Texts, client: Any) -> None:
    shelf.put(texts)
    dry = shelf.find(dry_run=True)
    assert set(shelf.names().values()) == {None}
    assert not client.indices.exists(index=f"{shelf.name}-simhash")
    wet = shelf.find()
    assert (dry.families, dry.written) == (wet.families, wet.written)


@pytest.mark.long
@pytest.mark.variants
def test_runs_between_the_writes_give_what_one_run_at_the_end_gives(
    shelf: Any, texts: Texts, way: str
) -> None:
    chosen = random.Random(way)
    ids = list(texts)
    chosen.shuffle(ids)
    while ids:
        some, ids = ids[: (size := chosen.randrange(1, 9))], ids[size:]
        shelf.put({id: texts[id] for id in some})
        shelf.find()
    assert shelf.families() == in_memory(texts)


@pytest.mark.long
def test_only_families_connected_to_a_change_are_searched_again(
    shelf: Any, texts: Texts, revise: Callable[..., str]
) -> None:
    shelf.put(texts)
    shelf.find()
    shelf.put({"t5-9": revise(texts["t5-2"], 7)})
    report = shelf.find()
    assert report.documents == 3
    assert report.written == 1
    assert [set(family.members) for family in report.families] == [{"t5-1", "t5-2", "t5-9"}]


@pytest.mark.long
def test_a_family_keeps_its_name_while_it_grows(
    shelf: Any, texts: Texts, revise: Callable[..., str]
) -> None:
    shelf.put(texts)
    shelf.find()
    before = shelf.names()
    shelf.put({f"t5-{seed}": revise(texts["t5-1"], seed) for seed in range(10, 20)})
    shelf.find()
    after = shelf.names()
    assert {id: after[id] for id in before} == before
    assert after["t5-15"] == before["t5-1"]


@pytest.mark.long
def test_a_rewritten_document_leaves_its_family(
    shelf: Any, texts: Texts, make_text: Callable[..., str]
) -> None:
    shelf.put(texts)
    shelf.find()
    changed = {**texts, "t0-2": make_text(50)}
    shelf.put({"t0-2": changed["t0-2"]})
    shelf.find()
    assert shelf.families() == in_memory(changed)


def chain(make_text: Callable[..., str]) -> Texts:
    """Return texts of which the first and the last are linked only by the one between them."""
    words = make_text(60, 400).split()
    return {
        "a": " ".join([*words[:250], *make_text(61, 70).split()]),
        "b": " ".join(words),
        "c": " ".join([*words[:40], *make_text(62, 60).split(), *words[200:]]),
    }


@pytest.mark.long
def test_a_family_falls_apart_when_what_joined_it_is_deleted(
    shelf: Any, make_text: Callable[..., str]
) -> None:
    linked = chain(make_text)
    without = {id: linked[id] for id in "ac"}
    assert in_memory(linked) == {frozenset("abc")}
    assert in_memory(without) == {frozenset("a"), frozenset("c")}
    shelf.put(linked)
    shelf.find()
    assert shelf.families() == {frozenset("abc")}
    shelf.delete("b")
    shelf.find()
    assert shelf.families() == {frozenset("a"), frozenset("c")}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.usefixtures("way")
def test_more_copies_than_an_answer_holds_hide_no_other_text(
    shelf: Any, texts: Texts, revise: Callable[..., str]
) -> None:
    copied = {f"copy-{number}": texts["t0-1"] for number in range(250)}
    others = {"near": revise(texts["t0-1"], 1), "nearer": revise(texts["t0-1"], 2, 0.02)}
    shelf.put({**copied, **others})
    shelf.find()
    assert shelf.families() == {frozenset([*copied, *others])}
    shelf.put({"newest": revise(texts["t0-1"], 3)})
    report = shelf.find()
    assert report.documents == 253
    assert report.truncated == ()
    assert len(shelf.families()) == 1


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.usefixtures("way")
def test_many_versions_of_one_text_are_one_family_though_few_are_compared(
    shelf: Any, make_text: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_run, "_MAX_CANDIDATES", 5)
    monkeypatch.setattr(spilled_postings, "MAX_LIST", 5)
    monkeypatch.setattr(link_graph, "_MAX_RESPONSES", 1)
    monkeypatch.setattr(family_reader, "CANDIDATES", 5)
    body = make_text(1)
    shelf.put({f"v{n}": f"{body} {make_text(100 + n, 8)}" for n in range(40)})
    report = shelf.find()
    assert [len(family.members) for family in report.families] == [40]


@pytest.mark.long
def test_the_rule_chooses_the_representative(shelf: Any, client: Any, texts: Texts) -> None:
    client.indices.put_mapping(index=shelf.name, properties={"date": {"type": "date"}})
    dates = {"t0-1": "2024-05-01", "t0-2": "2023-12-31T23:00:00Z", "t0-3": "2024-04-30"}
    shelf.write({"id": id, "text": texts[id], "date": date} for id, date in dates.items())
    newest = shelf.find(representative="newest", date_field="date").families[0]
    oldest = shelf.find(representative="oldest", date_field="date").families[0]
    longest = shelf.find(representative="longest").families[0]
    assert (newest.representative, oldest.representative) == ("t0-1", "t0-2")
    assert longest.representative == max(dates, key=lambda id: len(texts[id]))
    assert newest.name == oldest.name == longest.name


@pytest.mark.variants
@pytest.mark.parametrize(
    ("mapping", "dates"),
    [
        ({"type": "date", "format": "dd.MM.yyyy"}, ("01.03.2023", "30.11.2022", "15.01.2023")),
        (
            {"type": "date_nanos"},
            ("2023-05-01T10:00:00.000000003Z", "2023-05-01T10:00:00.000000001Z",
             "2023-05-01T10:00:00.000000002Z"),
        ),
        ({"type": "long"}, (2**60 + 3, 2**60 + 1, 2**60 + 2)),
    ],
)  # fmt: skip
def test_the_engine_reads_the_dates(
    shelf: Any, client: Any, texts: Texts, mapping: dict[str, Any], dates: tuple[Any, ...]
) -> None:
    client.indices.put_mapping(index=shelf.name, properties={"date": mapping})
    ids = ("t0-1", "t0-2", "t0-3")
    shelf.write(
        {"id": id, "text": texts[id], "date": date} for id, date in zip(ids, dates, strict=True)
    )
    newest = shelf.find(representative="newest", date_field="date")
    oldest = shelf.find(representative="oldest", date_field="date")
    assert newest.families[0].representative == "t0-1"
    assert oldest.families[0].representative == "t0-2"
    assert newest.undated == oldest.undated == ()


def represented(shelf: Any) -> dict[str, bool]:
    """Return what is stored of each document: whether it represents its family."""
    hits = shelf.client.search(index=shelf.name, size=1000)["hits"]["hits"]
    return {hit["_id"]: hit["_source"]["simhash"]["representative"] for hit in hits}


@pytest.mark.long
def test_it_is_stored_which_document_represents_a_family(
    shelf: Any, client: Any, texts: Texts
) -> None:
    shelf.put(texts)
    report = shelf.find()
    client.indices.refresh(index=shelf.name)
    firsts = {family.representative for family in report.families}
    alone = {id for family in shelf.families() if len(family) == 1 for id in family}
    assert {id for id, first in represented(shelf).items() if first} == firsts | alone
    only = {"term": {"simhash.representative": True}}
    assert client.count(index=shelf.name, query=only)["count"] == len(shelf.families())
    # Another leader: two documents of the family are written, and no other.
    family = next(each for each in report.families if "t0-1" in each.members)
    shelf.delete(family.representative)
    again = shelf.find()
    assert again.written == 1
    client.indices.refresh(index=shelf.name)
    left = set(family.members) - {family.representative}
    assert sum(represented(shelf)[id] for id in left) == 1


@pytest.mark.long
def test_a_run_that_names_no_rule_keeps_the_one_it_was_before(
    shelf: Any, client: Any, texts: Texts
) -> None:
    dates = {"t0-1": "2024-03-01", "t0-2": "2024-01-01", "t0-3": "2024-02-01"}
    client.indices.put_mapping(index=shelf.name, properties={"date": {"type": "date"}})
    shelf.write({"id": id, "text": text, "date": dates.get(id)} for id, text in texts.items())
    told = shelf.find(representative="newest", date_field="date")
    assert "t0-1" in {family.representative for family in told.families}
    kept = shelf.find()
    assert (kept.documents, kept.written) == (0, 0)
    whole = shelf.find(everything=True)
    assert whole.families == told.families
    assert whole.written == 0
    longest = shelf.find(representative="longest")
    assert longest.documents == len(texts)
    assert shelf.find().documents == 0


def test_documents_without_a_date_represent_no_family_and_are_named(
    shelf: Any, client: Any, texts: Texts
) -> None:
    client.indices.put_mapping(
        index=shelf.name,
        properties={"date": {"type": "date", "ignore_malformed": True}},
    )
    dates = {"t0-1": "May", "t0-2": "2023", "t0-3": None}
    shelf.write({"id": id, "text": texts[id], "date": date} for id, date in dates.items())
    for rule in ("newest", "oldest"):
        report = shelf.find(representative=rule, date_field="date")
        assert report.families[0].representative == "t0-2"
        assert report.undated == ("t0-1", "t0-3")
        assert report.to_dict()["undated"] == ["t0-1", "t0-3"]
    assert shelf.find(representative="longest").undated == ()


@pytest.mark.parametrize("rule", ["newest", "longest"])
def test_a_misspelt_date_field_is_refused(shelf: Any, client: Any, texts: Texts, rule: str) -> None:
    client.indices.put_mapping(
        index=shelf.name,
        properties={"published": {"type": "date"}, "title": {"type": "keyword"}},
    )
    shelf.put(texts)
    with pytest.raises(InputError, match=r"'publishd'; the nearest .* is 'published'") as refused:
        shelf.find(representative=rule, date_field="publishd")
    assert refused.value.parameter == "date_field"
    with pytest.raises(MappingConflict, match=r"'title' .* as keyword, not as a date"):
        shelf.find(representative=rule, date_field="title")
    assert set(shelf.names().values()) == {None}


def test_a_rule_without_a_date_is_refused(shelf: Any, texts: Texts) -> None:
    shelf.put(texts)
    with pytest.raises(InputError, match="needs a date") as refused:
        shelf.find(representative="newest")
    assert refused.value.parameter == "date_field"


@pytest.mark.long
def test_dismissed_documents_are_never_of_one_family_until_it_is_undone(
    shelf: Any, client: Any, texts: Texts, revise: Callable[..., str]
) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    shelf.put(texts)
    shelf.find()
    before = shelf.names()
    dismiss(client, shelf.name, "t0-3", "t0-1")
    shelf.find()
    assert shelf.families() == in_memory(texts, dismissed=[("t0-1", "t0-3")])
    names = shelf.names()
    assert names["t0-1"] != names["t0-3"]
    # It is respected by a run over everything, and by one after both were written again.
    assert shelf.find(everything=True).written == 0
    shelf.put({id: revise(texts[id], 5, 0.01) for id in ("t0-1", "t0-3")})
    shelf.find()
    names = shelf.names()
    assert names["t0-1"] != names["t0-3"]
    shelf.put(texts)
    dismiss(client, shelf.name, "t0-1", "t0-3", undo=True)
    shelf.find()
    assert shelf.families() == in_memory(texts)
    assert shelf.find().queried == 0
    assert {id for id, name in shelf.names().items() if name == before["t1-1"]} == {
        "t1-1",
        "t1-2",
        "t1-3",
    }


def test_what_cannot_be_dismissed_is_refused(shelf: Any, client: Any, texts: Texts) -> None:
    from es_simhash.maintenance.families.dismissals_and_joins import dismiss

    shelf.put({**texts, "copy": texts["t0-1"]})
    with pytest.raises(DocumentMissing, match="'nobody'"):
        dismiss(client, shelf.name, "t0-1", "nobody")
    with pytest.raises(InputError, match="exact copies"):
        dismiss(client, shelf.name, "t0-1", "copy")
    with pytest.raises(InputError, match="one document"):
        dismiss(client, shelf.name, "t0-1", "t0-1")
    with pytest.raises(InputError, match="nothing to undo"):
        dismiss(client, shelf.name, "t0-1", "t0-2", undo=True)
    with pytest.raises(InputError, match="several indices"):
        dismiss(client, f"{shelf.name}*", "t0-1", "t0-2")


def test_a_document_that_changes_during_the_run_is_left_for_the_next(
    shelf: Any,
    client: Any,
    texts: Texts,
    monkeypatch: pytest.MonkeyPatch,
    make_text: Callable[..., str],
) -> None:
    from es_simhash.maintenance.families.family_writer import FamilyWriter

    shelf.put(texts)
    write = FamilyWriter.write

    def write_late(self: FamilyWriter, families: Any) -> Any:
        shelf.put({"t0-1": make_text(77)})
        client.update(index=shelf.name, id="t0-2", doc={"title": "only this changed"})
        return write(self, families)

    monkeypatch.setattr(FamilyWriter, "write", write_late)
    report = shelf.find()
    assert report.skipped == ("t0-1",)
    names = shelf.names()
    assert names["t0-1"] is None
    assert names["t0-2"] == names["t0-3"]
    assert client.get(index=shelf.name, id="t0-2")["_source"]["title"] == "only this changed"
    monkeypatch.undo()
    shelf.find()
    assert shelf.families() == in_memory({**texts, "t0-1": make_text(77)})


def test_only_the_family_is_written(shelf: Any, client: Any, texts: Texts) -> None:
    shelf.write({"id": id, "text": text, "title": id} for id, text in texts.items())
    before = client.get(index=shelf.name, id="t0-1")["_source"]
    shelf.find()
    after = client.get(index=shelf.name, id="t0-1")["_source"]
    assert after["simhash"].pop("family")
    assert isinstance(after["simhash"].pop("representative"), bool)
    assert after == before


def test_a_text_that_is_not_the_fingerprinted_one_is_left_alone(
    shelf: Any, client: Any, texts: Texts, make_text: Callable[..., str]
) -> None:
    shelf.put(texts)
    client.update(index=shelf.name, id="t0-1", doc={"text": make_text(88)}, refresh=True)
    report = shelf.find()
    assert report.skipped == ("t0-1",)
    assert shelf.names()["t0-1"] is None


@pytest.mark.long
def test_one_document_that_is_left_does_not_stop_a_later_run(
    shelf: Any, client: Any, texts: Texts, make_text: Callable[..., str]
) -> None:
    held = {id: text for id, text in texts.items() if id != "t11-1"}
    shelf.put(held)
    shelf.find()
    shelf.put({"t11-1": texts["t11-1"]})
    client.update(index=shelf.name, id="t11-1", doc={"text": make_text(88)}, refresh=True)
    assert shelf.find().skipped == ("t11-1",)
    shelf.put({"t11-1": make_text(88)})
    assert shelf.find().skipped == ()
    assert shelf.families() == in_memory({**held, "t11-1": make_text(88)})


def test_a_text_that_became_something_else_does_not_stop_a_run(
    shelf: Any, client: Any, texts: Texts
) -> None:
    shelf.put(texts)
    # A field of type text takes numbers.
    client.update(index=shelf.name, id="t5-1", doc={"text": 5}, refresh=True)
    report = shelf.find()
    assert report.skipped == ("t5-1",)
    assert frozenset({"t1-1", "t1-2", "t1-3"}) in shelf.families()


def test_a_wrong_text_field_is_refused(shelf: Any, client: Any, texts: Texts) -> None:
    from es_simhash.maintenance.families.find_families import find_families
    from es_simhash.store.config import IndexConfig

    shelf.put(texts)
    with pytest.raises(InputError, match="'body' does not match") as refused:
        find_families(client, shelf.name, config=IndexConfig(text_field="body"))
    assert refused.value.parameter == "text_field"
    assert set(shelf.names().values()) == {None}


def test_the_users_own_search_shows_one_of_each_family_and_the_others_on_request(
    shelf: Any, client: Any, texts: Texts
) -> None:
    client.indices.put_mapping(
        index=shelf.name, properties={"date": {"type": "date"}, "text": {"type": "text"}}
    )
    shelf.write(
        {"id": id, "text": text, "date": f"2024-01-0{id[-1]}"} for id, text in texts.items()
    )
    shelf.find(representative="newest", date_field="date")
    answer = client.search(
        index=shelf.name,
        query={"match": {"text": " ".join(texts["t0-1"].split()[:5] + texts["t9-1"].split()[:5])}},
        collapse={
            "field": "simhash.family",
            "inner_hits": {
                "name": "others",
                "size": 10,
                "sort": [{"date": "desc"}],
                "_source": ["id", "date"],
            },
        },
        size=30,
    )
    shown = {
        frozenset(other["_id"] for other in hit["inner_hits"]["others"]["hits"]["hits"])
        for hit in answer["hits"]["hits"]
    }
    assert frozenset({"t0-1", "t0-2", "t0-3"}) in shown
    assert frozenset({"t9-1"}) in shown
    assert len(shown) == len(answer["hits"]["hits"])
    assert not any(one & other for one in shown for other in shown if one != other)
    first = next(hit for hit in answer["hits"]["hits"] if hit["_id"].startswith("t0"))
    ordered = [other["_id"] for other in first["inner_hits"]["others"]["hits"]["hits"]]
    assert ordered == ["t0-3", "t0-2", "t0-1"]


def test_a_run_over_a_store_in_memory_gives_the_same_families(
    shelf: Any, texts: Texts, tmp_path: Path
) -> None:
    store = MemoryStore(IndexConfig())
    for id, text in texts.items():
        store.add(id, text)
    job = {INDEX: shelf.name, UUIDS: []}
    with RunFiles.open(tmp_path / "run", job) as files:
        run = WholeRun(files, FamilyOptions(), VERSION_SCORE)
        run.read(FamilyReader(MemorySnapshot(store)))
        run.link((), ())
        run.group()
        run.name()
        families = {
            name: [stored.document.ref.id for stored in found]
            for _, some in run.families()
            for name, found in some
        }
        files.remove()
    shelf.put(texts)
    shelf.find()
    names = shelf.names()
    assert {id: name for name, members in families.items() for id in members} == names
    assert sum(len(members) > 1 for members in families.values()) > 3
