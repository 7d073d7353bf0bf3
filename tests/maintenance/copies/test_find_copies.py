"""Who copied whom, over a real index."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from es_simhash import InputError, MappingConflict
from es_simhash.errors import FileInUse, IndexMissing
from es_simhash.maintenance.copies import recent_copies
from tests.maintenance.copies.conftest import Archive, between, prose
from tests.support.journals import rows
from tests.support.made_up_texts import make_prose, revise

pytestmark = pytest.mark.cluster

TAKEN = " ".join(make_prose(50, 4))
PART_OF_IT = " ".join(make_prose(50, 4)[:3])
TAKEN_TOO = " ".join(make_prose(51, 2))
NOTICE = " ".join(make_prose(52, 3))


def document(id: str, text: str, owner: Any = None, when: str | None = None) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": id, "text": text}
    if owner is not None:
        entry["owner"] = owner
    if when is not None:
        entry["when"] = when
    return entry


def pairs(report: Any) -> list[tuple[str, str]]:
    return [(copy.a.id, copy.b.id) for copy in report.copies]


def taken_over() -> list[dict[str, Any]]:
    """A passage of anna's in bert's text, a shorter one in carla's, and a stranger's text."""
    return [
        document("a", f"{between(TAKEN, 1)} {TAKEN_TOO}", "anna", "2020-01-01"),
        document("b", between(TAKEN, 2), "bert", "2021-05-01"),
        document("c", between(TAKEN_TOO, 3), "carla", "2019-03-01"),
        document("a2", between(TAKEN, 4), "anna", "2018-01-01"),
        document("d", prose(5), "dora", "2022-01-01"),
    ]


def test_passages_are_found_between_owners_the_longest_first(archive: Any) -> None:
    documents = taken_over()
    archive.write(*documents)
    report = archive.find()
    assert pairs(report) == [("a", "b"), ("a2", "b"), ("c", "a")]
    assert [copy.order for copy in report.copies] == ["by_date"] * 3
    texts = {each["id"]: each["text"] for each in documents}
    for copy, passage in zip(report.copies, (TAKEN, TAKEN, TAKEN_TOO), strict=True):
        (found,) = copy.passages
        assert texts[copy.a.id][found.a.start : found.a.end] == found.a.text
        assert texts[copy.b.id][found.b.start : found.b.end] == found.b.text
        assert found.kind == "verbatim"
        assert found.a.text.strip(".") == found.b.text.strip(".") == passage.strip(".")
        letters = sum(map(str.isalnum, passage))
        assert copy.longest == copy.letters == found.letters == letters
        assert copy.a.coverage == pytest.approx(len(found.a.text) / len(texts[copy.a.id]), abs=1e-4)
    first = report.copies[1]
    assert (first.a.values, first.a.date, first.a.since) == (("anna",), "2018-01-01", "2018-01-01")
    assert (report.documents, report.compared, report.groups) == (5, 5, 4)


@pytest.mark.long
def test_the_answer_does_not_depend_on_shards_order_or_unrelated_documents(
    new_archive: Callable[[str], Any],
) -> None:
    documents = [*taken_over(), *(document(f"x{n}", prose(60 + n), f"o{n}") for n in range(6))]
    answers = []
    for number, shards in enumerate((1, 3)):
        archive = new_archive(str(number))
        archive.create(shards)
        shuffled = random.Random(number).sample(documents, len(documents))
        for each in shuffled:
            archive.write(each)
        for filter in (None, {"terms": {"owner": ["anna", "bert", "carla"]}}):
            copies = archive.find(filters=(filter,) if filter else ()).to_dict()["copies"]
            for copy in copies:
                for side in (copy["a"], copy["b"]):
                    assert side.pop("index") == archive.name
            answers.append(copies)
    assert len(answers[0]) == 3
    assert answers[1:] == answers[:1] * 3


def test_boilerplate_is_listed_once_and_is_no_reason_for_a_pair(archive: Any) -> None:
    owners = [f"o{number}" for number in range(7)]
    archive.write(
        *(document(owner, between(NOTICE, n), owner) for n, owner in enumerate(owners)),
        document("o0-too", between(NOTICE, 30), "o0"),
        document("p", f"{between(NOTICE, 20)} {TAKEN}", "p"),
        document("q", f"{between(NOTICE, 21)} {TAKEN}", "q"),
    )
    report = archive.find()
    assert pairs(report) == [("p", "q")]
    (copy,) = report.copies
    assert [passage.a.text.strip(".") for passage in copy.passages] == [TAKEN.strip(".")]
    assert copy.boilerplate == 1
    assert copy.order == "undated"
    (notice,) = report.boilerplate
    assert notice.text in NOTICE
    assert len(notice.text) > len(NOTICE) / 2
    assert (notice.groups, notice.documents) == (9, 10)
    # The same passages with a higher bound are copies.
    assert len(archive.find(boilerplate=10).copies) == 10 * 9 / 2 - 1
    assert archive.find(boilerplate=10).boilerplate == ()


@pytest.mark.long
def test_versions_of_two_texts_are_one_entry_unless_all_are_wanted(archive: Any) -> None:
    ours, theirs = between(TAKEN, 1), between(TAKEN, 2)
    archive.write(
        *(document(f"a{n}", revise(ours, n, 0.01), "anna", f"202{n}-01-01") for n in range(5)),
        *(
            document(f"b{n}", revise(theirs, n + 9, 0.01), "bert", f"202{n}-06-01")
            for n in range(4)
        ),
    )
    by_texts = archive.find()
    assert len(by_texts.copies) == 1
    assert by_texts.copies[0].pairs == 20
    assert by_texts.unfamilied == 9
    archive.families()
    report = archive.find()
    assert report.unfamilied == 0
    assert report.copies[0].pairs == 20
    every = archive.find(all_pairs=True)
    assert len(every.copies) == len(set(pairs(every))) == 20
    assert {copy.pairs for copy in every.copies} == {1}
    # The list has the pair that shares most.
    assert (report.copies[0].a.id, report.copies[0].b.id) in pairs(every)
    families = archive.find(between="simhash.family")
    assert pairs(families) == pairs(report)
    from es_simhash import CopyOptions
    from es_simhash.maintenance.copies.find_copies import find_copies

    unnamed = find_copies(archive.client, archive.name, options=CopyOptions(date_field="when"))
    assert (pairs(unnamed), unnamed.between) == (pairs(report), None)


def test_who_was_first_is_decided_by_the_earliest_version_that_has_the_passage(
    archive: Any,
) -> None:
    text = between(TAKEN, 1)
    archive.write(
        document("a-new", text, "anna", "2023-01-01"),
        document("a-old", text.replace(TAKEN, PART_OF_IT), "anna", "2019-01-01"),
        # Older still, and without the passage.
        document("a-oldest", text.replace(TAKEN, ""), "anna", "2001-01-01"),
        document("b", between(TAKEN, 2), "bert", "2020-01-01"),
    )
    archive.families()
    (copy,) = archive.find().copies
    assert (copy.a.id, copy.b.id, copy.order) == ("a-new", "b", "by_date")
    assert (copy.a.date, copy.a.since, copy.a.since_id) == ("2023-01-01", "2019-01-01", "a-old")


def test_equal_and_missing_dates_say_nothing(archive: Any) -> None:
    archive.write(
        document("b", between(TAKEN, 1), "bert", "2020-01-01T10:30:00Z"),
        document("a", between(TAKEN, 2), "anna", "2020-01-01T10:30:00Z"),
        document("c", between(TAKEN, 3), "carla"),
    )
    report = archive.find()
    order = {frozenset((copy.a.id, copy.b.id)): copy.order for copy in report.copies}
    assert order[frozenset("ab")] == "same_date"
    assert order[frozenset("ac")] == order[frozenset("bc")] == "undated"
    assert ("a", "b") in pairs(report)
    assert {copy.b.since for copy in report.copies if copy.b.id == "c"} == {None}
    assert report.copies[0].a.date == "2020-01-01T10:30:00Z"
    assert report.undated == 1


def test_documents_with_two_owners_are_compared_with_those_of_others(archive: Any) -> None:
    archive.write(
        document("both", between(TAKEN, 1), ["anna", "bert"]),
        document("a", between(TAKEN, 2), "anna"),
        document("c", between(TAKEN, 3), "carla"),
    )
    found = {frozenset(pair) for pair in pairs(archive.find())}
    assert found == {frozenset({"both", "c"}), frozenset({"a", "c"})}


def test_owners_whose_names_have_no_end_for_sqlite_are_compared(archive: Any) -> None:
    archive.write(
        document("a", between(TAKEN, 1), "anna\0a"),
        document("b", between(TAKEN, 2), "anna\0b"),
        document("c", between(TAKEN, 3), "anna\0b"),
    )
    report = archive.find(all_pairs=True)
    assert {frozenset(pair) for pair in pairs(report)} == {
        frozenset({"a", "b"}),
        frozenset({"a", "c"}),
    }
    assert report.groups == 2


def test_what_is_left_out_is_counted_and_named(archive: Any) -> None:
    archive.write(
        *taken_over(),
        document("nobody", between(TAKEN, 7)),
        document("changed", between(TAKEN, 8), "emil"),
        document("gone", between(TAKEN, 9), "emil"),
        document("empty", "...", "emil"),
    )
    archive.client.update(index=archive.name, id="changed", doc={"text": prose(9)})
    archive.client.update(index=archive.name, id="gone", doc={"text": None})
    archive.client.index(index=archive.name, id="bare", document={"text": TAKEN}, refresh=True)
    report = archive.find()
    assert pairs(report) == [("a", "b"), ("a2", "b"), ("c", "a")]
    left = report.left_out
    assert (left.without_fingerprints, left.without_words) == (1, 1)
    assert left.changed == ("changed", "gone")
    assert left.without_value == ("nobody",)
    assert (report.documents, report.compared) == (10, 5)


def test_the_letters_a_passage_must_have_can_be_chosen(archive: Any) -> None:
    archive.write(*taken_over())
    letters = sum(map(str.isalnum, TAKEN_TOO))
    assert len(archive.find(min_letters=letters).copies) == 3
    assert len(archive.find(min_letters=letters + 1).copies) == 2


def test_an_empty_index_has_no_copies(archive: Any) -> None:
    report = archive.find()
    assert (report.copies, report.boilerplate, report.documents) == ((), (), 0)
    archive.write(*taken_over())
    assert archive.find(filters=({"term": {"owner": "nobody"}},)).documents == 0


def test_what_cannot_be_compared_is_an_error(archive: Any, client: Any) -> None:
    client.indices.put_mapping(
        index=archive.name, properties={"site": {"properties": {"host": {"type": "keyword"}}}}
    )
    with pytest.raises(InputError, match="'ownr'; the nearest field of the mapping is 'owner'"):
        archive.find(between="ownr")
    with pytest.raises(InputError, match="'whn'"):
        archive.find(date_field="whn")
    with pytest.raises(MappingConflict, match=r"'owner' .* not as a date"):
        archive.find(date_field="owner")
    with pytest.raises(MappingConflict, match=r"'site' .* is mapped as object"):
        archive.find(between="site")
    client.index(index=archive.name, id="bare", document={"text": TAKEN}, refresh=True)
    with pytest.raises(InputError, match=r"has fingerprints. Run `es-simhash backfill"):
        archive.find()
    archive.write(document("a", TAKEN), document("b", TAKEN))
    with pytest.raises(InputError, match=r"has a value of field 'owner'. Set between"):
        archive.find()
    with pytest.raises(InputError, match=r"has a family, .*Run `es-simhash families run"):
        archive.find(between=None)
    for id in ("a", "b"):
        client.update(index=archive.name, id=id, doc={"text": "another"}, refresh=True)
    with pytest.raises(InputError, match="does not match the fingerprinted text of any document"):
        archive.find()
    for wrong in ({"boilerplate": 2}, {"min_letters": 0}):
        with pytest.raises(InputError, match="must be at least"):
            archive.find(**wrong)


def test_an_index_without_fields_and_a_missing_one_are_errors(client: Any, index_name: str) -> None:
    from es_simhash.maintenance.copies.find_copies import find_copies

    with pytest.raises(IndexMissing):
        find_copies(client, index_name)
    client.indices.create(index=index_name)
    with pytest.raises(MappingConflict, match=r"Run `es-simhash install"):
        find_copies(client, index_name)


@pytest.mark.long
def test_a_sidecar_is_refused(client: Any, index_name: str) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.maintenance.copies.find_copies import find_copies

    client.index(index=index_name, id="1", document={"text": TAKEN}, refresh=True)
    sidecar = f"{index_name}-sidecar"
    try:
        assert all(each.ok for each in backfill(client, index_name, sidecar=sidecar))
        with pytest.raises(MappingConflict, match=f"is the sidecar of '{index_name}'"):
            find_copies(client, sidecar)
    finally:
        client.indices.delete(index=sidecar, ignore_unavailable=True)


def test_the_fields_that_the_index_is_configured_with_are_used(archive: Any, client: Any) -> None:
    from es_simhash.maintenance.copies.find_copies import find_copies
    from es_simhash.store.installation.document_settings import configure

    archive.write(*taken_over())
    configure(client, archive.name, {"owner": "owner", "date": "when"})
    report = find_copies(client, archive.name)
    assert report == archive.find()
    assert report.between == "owner"


def test_documents_of_two_indices_with_one_id_have_each_their_title(
    new_archive: Callable[[str], Archive], client: Any
) -> None:
    from es_simhash.maintenance.copies.find_copies import find_copies
    from es_simhash.store.installation.document_settings import configure

    archives = new_archive("one"), new_archive("other")
    alias = f"{archives[0].name}-both"
    for number, each in enumerate(archives):
        each.create(title={"type": "keyword"})
        text = between(TAKEN, number)
        each.write({**document("same", text, f"owner {number}"), "title": each.name})
        client.indices.put_alias(index=each.name, name=alias)
        configure(client, each.name, {"owner": "owner", "title": "title"})
    (copy,) = find_copies(client, alias).copies
    names = tuple(each.name for each in archives)
    assert (copy.a.index, copy.b.index) == (copy.a.title, copy.b.title) == names


class Stop(Exception):
    """What interrupts a run."""


def interrupt(archive: Any, journal: Path, after: int) -> None:
    def stop(what: str, done: int, total: int | None) -> None:
        if done == after:
            raise Stop

    with pytest.raises(Stop):
        archive.find(journal=journal, progress=stop)


def test_an_interrupted_run_resumes(archive: Any, tmp_path: Path, requests_of: list[str]) -> None:
    archive.write(*taken_over())
    journal = tmp_path / "journal"
    expected = archive.find()
    interrupt(archive, journal, 2)
    assert rows(journal, "SELECT COUNT(*) FROM pairs") == [(2,)]
    requests_of.clear()
    assert archive.find(journal=journal) == expected
    resumed = len(requests_of)
    assert not journal.exists()
    requests_of.clear()
    assert archive.find(journal=journal) == expected
    assert len(requests_of) > resumed
    # One that ended before it wrote anything.
    journal.touch()
    assert archive.find(journal=journal) == expected


def test_a_document_that_changed_meanwhile_is_aligned_again(archive: Any, tmp_path: Path) -> None:
    archive.write(*taken_over())
    journal = tmp_path / "journal"
    interrupt(archive, journal, 3)
    archive.write(document("b", between(TAKEN_TOO, 2), "bert", "2021-05-01"))
    assert archive.find(journal=journal) == archive.find()


def test_a_journal_of_something_else_is_not_used(
    archive: Any, new_archive: Callable[[str], Any], tmp_path: Path
) -> None:
    archive.write(*taken_over())
    journal = tmp_path / "journal"
    interrupt(archive, journal, 1)
    other = new_archive("other")
    other.create()
    other.write(*taken_over())
    with pytest.raises(InputError, match=f"of index '{archive.name}'.* Set fresh"):
        other.find(journal=journal)
    assert len(other.find(journal=journal, fresh=True).copies) == 3
    journal.write_text("my notes\n")
    for fresh in (False, True):
        with pytest.raises(InputError, match="is no journal and would be overwritten"):
            archive.find(journal=journal, fresh=fresh)
    assert journal.read_text() == "my notes\n"
    with pytest.raises(InputError, match="Cannot use the journal"):
        archive.find(journal=tmp_path)


def test_two_runs_do_not_share_a_journal(archive: Any, tmp_path: Path) -> None:
    archive.write(*taken_over())
    journal = tmp_path / "journal"

    def meanwhile(what: str, done: int, total: int | None) -> None:
        with pytest.raises(FileInUse):
            archive.find(journal=journal)

    assert archive.find(journal=journal, progress=meanwhile).copies


def shared_archive(archive: Any) -> None:
    """Versions, a notice that many have, copies of old texts in new ones, and what is left out."""
    archive.write(
        *taken_over(),
        *(document(f"n{n}", between(NOTICE, 100 + n), f"o{n}", "2020-01-01") for n in range(7)),
        document("e", f"{between(NOTICE, 20)} {TAKEN_TOO}", "emma", "2022-05-01"),
        document("b2", f"{between(TAKEN, 2)} {prose(77, 2)}", "bert", "2022-06-01"),
        document("a3", between(TAKEN, 4), "anna", "2022-07-01"),
        document("f", between(PART_OF_IT, 30), "frank", "2022-08-01"),
        document("g", prose(91), "gina", "2022-08-02"),
        document("h", "...", "hans", "2022-08-03"),
        document("i", between(TAKEN, 31), None, "2022-08-04"),
    )


NEW = {"e", "b2", "a3", "f", "g", "h", "i"}


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("with_families", [False, True])
def test_new_documents_are_compared_with_all_as_in_a_search_over_all(
    archive: Any, with_families: bool
) -> None:
    shared_archive(archive)
    if with_families:
        archive.families()
    for field in ("owner", "simhash.family") if with_families else ("owner",):
        every = archive.find(all_pairs=True, between=field)
        recent = archive.find(all_pairs=True, between=field, since="2022-04-01")
        expected = [copy for copy in every.copies if {copy.a.id, copy.b.id} & NEW]
        assert list(recent.copies) == expected
        assert len(every.copies) > len(expected) > 3
        # Of two families the one pair of those with a new document that shares most.
        some = archive.find(between=field, since="2022-04-01")
        found = set(map(frozenset, pairs(some)))
        assert found <= set(map(frozenset, pairs(recent)))
        listed = map(frozenset, pairs(archive.find(between=field)))
        assert {each for each in listed if each & NEW} <= found
        assert sum(copy.pairs for copy in some.copies) == len(recent.copies)
    assert (recent.documents, recent.since, recent.boilerplate) == (7, "2022-04-01", ())
    assert recent.left_out.without_words == 1
    if field == "owner":
        assert (recent.compared, recent.left_out.without_value) == (5, ("i",))


def test_what_only_shares_a_notice_or_nothing_is_no_copy(archive: Any) -> None:
    shared_archive(archive)
    archive.write(document("z", between(NOTICE, 300), "zoe", "2023-01-01"))
    assert archive.find(since="2023-01-01").copies == ()
    assert archive.find(since="2024-01-01||/y").documents == 0
    assert archive.find(since="now-1h").documents == 0


@pytest.mark.long
def test_the_last_run_is_where_the_next_one_begins(
    archive: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    archive.write(*taken_over())
    # There was none before: all are compared, as without `since`.
    assert archive.find(since="last").copies == archive.find().copies
    assert archive.find(since="last").documents == 0
    archive.write(document("k", between(TAKEN, 40), "kim", "2017-01-01"))
    again = archive.find(since="last")
    assert (again.documents, again.since) == (1, "last")
    assert set(pairs(again)) == {("k", "a"), ("k", "b"), ("k", "a2")}
    assert archive.find(since="last").documents == 0
    # A run with a journal is one as well, and one with other options is not.
    archive.write(document("l", between(TAKEN, 41), "lea", "2017-01-01"))
    archive.find(journal=tmp_path / "journal")
    assert archive.find(since="last").documents == 0
    assert archive.find(since="last", all_pairs=True).since is None


def test_a_wrong_since_is_an_error(
    archive: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    archive.write(*taken_over())
    for since in ("2999", "2999-05", "2999-01-01", "2999-01-01T00:00:00Z", "now+1d"):
        with pytest.raises(InputError, match=r"is in the future\. Set since"):
            archive.find(since=since)
    assert archive.find(since="2022").documents == archive.find(since="2022-01-01").documents
    with pytest.raises(InputError, match="since must be 'last', a date that field 'when' can hold"):
        archive.find(since="yesterday")
    with pytest.raises(InputError, match=r"needs the date of documents\. Set date_field"):
        archive.find(since="2020-01-01", date_field=None)

    monkeypatch.setattr(recent_copies, "_NEW_BYTES", 1 << 31)
    with pytest.raises(InputError, match=r"1 document is new.* Set memory"):
        archive.find(since="2022-01-01")


def test_the_last_run_with_another_scheme_is_an_error(
    archive: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))
    archive.write(*taken_over())
    archive.find(since="last")
    (stored,) = (tmp_path / "home" / "copies").iterdir()
    ended = json.loads(stored.read_text("utf-8"))
    others = {name: (seq_no, "another") for name, (seq_no, _) in ended.items()}
    stored.write_text(json.dumps(others), "utf-8")
    with pytest.raises(InputError, match=r"last run was with scheme 'another', .* without since"):
        archive.find(since="last")
    stored.write_text("no JSON", "utf-8")
    assert archive.find(since="last").since is None
