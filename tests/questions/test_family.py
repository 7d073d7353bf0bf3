"""A family as an object: its members in time, what of each still stands, and what is near."""

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any

import pytest

from es_simhash import DocumentFields, DocumentMissing, Index, InputError, MappingConflict, compare
from es_simhash.errors import ClusterError
from es_simhash.maintenance.families.dismissals_and_joins import dismiss, join
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.store.config import IndexConfig
from tests.support.shelf import Shelf, revised, text

pytestmark = pytest.mark.cluster

SECTIONS = [text(seed, 120) for seed in range(10, 20)]


def policy(*sections: int) -> str:
    """Return a text of sections; numbers from 10 on are new ones."""
    return "\n\n".join(SECTIONS[n] if n < 10 else text(n + 90, 120) for n in sections)


FIRST = policy(*range(10))
# Each is a version of the one before, and the third has six of the ten sections of the first.
HISTORY = {
    "c": ("2021-03-01", FIRST),
    "a": ("2022-03-01", policy(0, 1, 2, 3, 4, 5, 6, 7, 10, 11)),
    "b": ("2023-03-01T08:30:00Z", policy(0, 1, 2, 3, 4, 5, 12, 13, 10, 11)),
}


@pytest.fixture
def policies(shelf: Shelf) -> Shelf:
    """A policy in three versions with dates, a text of its own, and their families."""
    shelf.client.indices.put_mapping(index=shelf.name, properties={"date": {"type": "date"}})
    shelf.write({"id": id, "text": each, "date": date} for id, (date, each) in HISTORY.items())
    shelf.put({"stranger": text(1)})
    shelf.find()
    return shelf


def family(shelf: Shelf, name: str, **options: Any) -> FamilyHistory:
    return Index(shelf.client, shelf.name).family(name, **options)


@pytest.mark.parametrize("date_field", [None, "date", "other"])
@pytest.mark.parametrize(("rule", "ids"), [("newest", "bac"), ("oldest", "cab")])
def test_filters_leave_who_represents_a_family_to_the_rule_of_the_last_run(
    policies: Shelf, rule: str, ids: str, date_field: str | None
) -> None:
    policies.client.indices.put_mapping(index=policies.name, properties={"other": {"type": "date"}})
    policies.find(representative=rule, date_field="date")
    stored = family(policies, "a", date_field=date_field)
    assert stored.representative == ids[0]
    shown: dict[str, Any] = {"date_field": date_field, "filters": [{"match_all": {}}]}
    assert family(policies, "a", **shown) == stored
    # Nothing tells that there is one that may not be read.
    hidden = [{"bool": {"must_not": {"ids": {"values": [ids[0]]}}}}]
    seen = family(policies, stored.name, date_field=date_field, filters=hidden)
    assert (seen.representative, seen.documents) == (ids[1], 2)
    policies.client.delete(index=policies.name, id=ids[0], refresh=True)
    assert family(policies, stored.name, date_field=date_field, filters=hidden) == seen


def test_the_members_are_in_the_order_of_their_dates_and_say_what_they_kept(
    policies: Shelf,
) -> None:
    history = family(policies, "a", date_field="date")
    assert history.name == policies.names()["a"]
    assert (history.documents, history.truncated, history.near) == (3, False, ())
    first, second, third = history.members
    assert [member.id for member in history.members] == ["c", "a", "b"]
    assert [member.date for member in history.members] == [
        "2021-03-01",
        "2022-03-01",
        "2023-03-01T08:30:00Z",
    ]
    assert (first.kept_from_previous, first.kept_from_first) == (None, None)
    assert second.kept_from_previous == second.kept_from_first == pytest.approx(0.8, abs=0.05)
    assert third.kept_from_previous == pytest.approx(0.8, abs=0.05)
    assert third.kept_from_first == pytest.approx(0.6, abs=0.05)
    for member in history.members:
        assert member.characters == pytest.approx(len(HISTORY[member.id][1]), rel=0.02)


def test_each_member_names_the_nearest_with_the_score_that_compare_has(policies: Shelf) -> None:
    history = family(policies, "a", date_field="date")
    scores = {
        frozenset(pair): compare(*(HISTORY[id][1] for id in pair), semantics=None).score
        for pair in combinations(HISTORY, 2)
    }
    for member in history.members:
        best = max(score for pair, score in scores.items() if member.id in pair)
        assert member.nearest is not None
        assert member.score == scores[frozenset((member.id, member.nearest))] == best
        assert member.kind == "version"


def test_a_name_and_every_member_lead_to_one_family(policies: Shelf) -> None:
    expected = family(policies, "a")
    assert family(policies, expected.name) == family(policies, "b") == expected
    (representative,) = (member.id for member in expected.members if member.is_representative)
    assert representative == expected.representative
    assert representative == max(HISTORY, key=lambda id: len(HISTORY[id][1]))


def moving(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, families: Iterable[str]) -> None:
    """Let a document move to the next family after each search that finds it."""
    transport, left = shelf.client.transport, iter(families)
    perform = transport.perform_request

    def performing(method: str, target: str, **more: Any) -> Any:
        answer = perform(method, target, **more)
        is_found = "search" in target and "'_id': 'stranger'" in str(answer.body)
        if is_found and (name := next(left, None)) is not None:
            change = {"simhash": {"family": name}}
            with monkeypatch.context() as own:
                own.setattr(transport, "perform_request", perform)
                shelf.client.update(index=shelf.name, id="stranger", doc=change, refresh=True)
        return answer

    monkeypatch.setattr(transport, "perform_request", performing)


@pytest.mark.parametrize("times", [1, 2])
def test_a_document_that_moves_to_another_family_meanwhile_is_read_again(
    policies: Shelf, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    index, names = Index(policies.client, policies.name), [f"{n:016x}" for n in range(2 * times)]
    moving(policies, monkeypatch, names[:times])
    found = index.family("stranger")
    assert (found.name, [member.id for member in found.members]) == (
        names[times - 1],
        ["stranger"],
    )
    moving(policies, monkeypatch, names[times:])
    history = index.history("stranger")
    assert (history.family, [version.id for version in history.versions]) == (
        names[-1],
        ["stranger"],
    )


@pytest.mark.parametrize("verb", ["family", "history", "blame"])
def test_one_that_moves_each_time_is_said_to(
    policies: Shelf, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    moving(policies, monkeypatch, (f"{number:016x}" for number in range(20)))
    with pytest.raises(ClusterError, match="moved to another family each time it was read"):
        getattr(Index(policies.client, policies.name), verb)("stranger")


def test_without_a_field_of_dates_the_ids_are_the_order(policies: Shelf) -> None:
    history = family(policies, "c")
    assert [member.id for member in history.members] == ["a", "b", "c"]
    assert {member.date for member in history.members} == {None}
    assert (history.date_field, history.undated) == (None, ())


def test_members_without_a_date_come_last_and_of_two_dates_the_latest_counts(
    policies: Shelf,
) -> None:
    policies.write(
        [
            {"id": "0-undated", "text": revised(FIRST, 5)},
            {"id": "two", "text": revised(FIRST, 6), "date": ["2020-01-01", "2022-06-01"]},
        ]
    )
    policies.find()
    history = family(policies, "a", date_field="date")
    assert [member.id for member in history.members] == ["c", "a", "two", "b", "0-undated"]
    assert (history.undated, history.several_dates) == (("0-undated",), ("two",))
    last = history.members[-1]
    assert (last.date, last.kept_from_previous) == (None, None)
    assert last.kept_from_first == pytest.approx(0.95, abs=0.1)


def test_only_members_newer_than_a_date_are_returned_with_what_all_of_them_say(
    policies: Shelf,
) -> None:
    everything = {each.id: each for each in family(policies, "a", date_field="date").members}
    later = family(policies, "a", date_field="date", newer_than="2022-03-01")
    assert later.members == (everything["b"],)
    assert later.documents == 3
    year = family(policies, "a", date_field="date", newer_than="2022-01-01||/y")
    assert [member.id for member in year.members] == ["b"]
    assert family(policies, "a", date_field="date", newer_than="now-1d").members == ()


@pytest.mark.long
def test_the_field_says_how_the_date_is_read(shelf: Shelf) -> None:
    german = {"type": "date", "format": "dd.MM.yyyy"}
    shelf.client.indices.put_mapping(index=shelf.name, properties={"date": german})
    dates = {"c": "01.03.2021", "a": "30.11.2022", "b": "02.12.2022"}
    shelf.write({"id": id, "text": HISTORY[id][1], "date": date} for id, date in dates.items())
    shelf.find()
    history = family(shelf, "a", date_field="date", newer_than="30.11.2022")
    assert [(member.id, member.date) for member in history.members] == [("b", "2022-12-02")]
    with pytest.raises(InputError, match="got '2022-11-30'"):
        family(shelf, "a", date_field="date", newer_than="2022-11-30")


def test_numbers_and_nanoseconds_order_members_too(shelf: Shelf) -> None:
    types = {"version": {"type": "integer"}, "at": {"type": "date_nanos"}}
    shelf.client.indices.put_mapping(index=shelf.name, properties=types)
    at = "2024-05-01T10:00:00.00000000{}Z"
    shelf.write(
        {"id": id, "text": HISTORY[id][1], "version": 10 * n, "at": at.format(4 - n)}
        for n, id in enumerate("cab", 1)
    )
    shelf.find()
    by_version = family(shelf, "a", date_field="version", newer_than="10")
    assert [(member.id, member.date) for member in by_version.members] == [("a", "20"), ("b", "30")]
    by_time = family(shelf, "a", date_field="at")
    assert [(member.id, member.date) for member in by_time.members] == [
        ("b", at.format(1)),
        ("a", at.format(2)),
        ("c", at.format(3)),
    ]


def test_the_index_says_which_fields_are_title_and_date(policies: Shelf) -> None:
    fields = DocumentFields(title="about.title", date="date")
    policies.write([{"id": "d", "text": revised(FIRST, 4), "about": {"title": ["Privacy", "Old"]}}])
    policies.find()
    index = Index(policies.client, policies.name, IndexConfig(documents=fields))
    history = index.family("d", newer_than="2022-12-31")
    assert (history.date_field, history.undated) == ("date", ("d",))
    assert [member.id for member in history.members] == ["b"]
    titles = {member.id: member.title for member in index.family("d").members}
    assert titles == {"a": None, "b": None, "c": None, "d": "Privacy"}


def test_exact_copies_and_families_of_one(policies: Shelf) -> None:
    policies.put({"copy": FIRST.upper()})
    policies.find()
    (copy,) = (each for each in family(policies, "copy").members if each.id == "copy")
    assert (copy.score, copy.kind, copy.nearest) == (1.0, "exact", "c")
    (alone,) = family(policies, "stranger").members
    assert (alone.score, alone.nearest, alone.kind, alone.is_representative) == (
        None, None, None, True,
    )  # fmt: skip


def test_a_document_without_words_is_a_family_of_its_own(policies: Shelf) -> None:
    policies.put({"empty": "..."})
    policies.find()
    (member,) = family(policies, "empty").members
    assert (member.id, member.characters, member.score) == ("empty", 0, None)


def reasons(history: FamilyHistory) -> dict[str, tuple[str, str]]:
    return {each.id: (each.reason, each.kind) for each in history.near}


@pytest.mark.long
def test_what_is_near_and_not_in_it_says_why(policies: Shelf) -> None:
    quoting = f"{text(500, 500)} {policy(0, 1, 2, 3)}"
    whole = f"{FIRST} {text(501, 12_000)}"
    policies.put({"quoting": quoting, "whole": whole, "apart": revised(FIRST, 9)})
    dismiss(policies.client, policies.name, "a", "apart")
    dismiss(policies.client, policies.name, "b", "apart")
    dismiss(policies.client, policies.name, "c", "apart")
    policies.find()
    policies.put({"new": revised(FIRST, 8)})
    history = family(policies, "c")
    assert reasons(history) == {
        "quoting": ("score", "shares_passages"),
        "apart": ("dismissed", "version"),
        "new": ("no_family", "version"),
        "whole": ("length", compare(FIRST, whole, semantics=None).kind),
    }
    assert {each.member for each in history.near} == {"c"}
    because = {each.id: each.because for each in history.near}
    assert "'a'" in because["apart"] or "'b'" in because["apart"] or "'c'" in because["apart"]
    assert "es-simhash families run" in because["new"]
    scores = [each.score for each in history.near]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.long
def test_what_was_joined_since_the_last_run_says_so(policies: Shelf) -> None:
    policies.put({"quoting": f"{text(500, 500)} {policy(0, 1, 2, 3)}"})
    policies.find()
    join(policies.client, policies.name, ["b", "quoting"])
    assert reasons(family(policies, "c"))["quoting"] == ("joined", "shares_passages")
    policies.find()
    assert "quoting" in {member.id for member in family(policies, "c").members}


def test_a_version_of_a_member_that_is_none_of_the_representative_is_explained(
    shelf: Shelf, make_chain: Callable[[], dict[str, str]]
) -> None:
    shelf.put(make_chain())
    shelf.find()
    (ids,) = (each for each in shelf.families() if "b" in each)
    (left,) = {"a", "b", "c"} - ids
    found = reasons(family(shelf, "b"))
    assert found[left] == ("representative", "version")


@pytest.fixture
def make_chain() -> Callable[[], dict[str, str]]:
    """Make three texts of which the one in between is a version of both others."""

    def make() -> dict[str, str]:
        words = text(60, 400).split()
        return {
            "a": " ".join([*words[:250], *text(61, 400).split()]),
            "b": " ".join(words),
            "c": " ".join([*words[:25], *text(62, 40).split(), *words[230:]]),
        }

    return make


def test_it_takes_two_requests_and_reads_no_text(
    policies: Shelf, requests_of: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Index(policies.client, policies.name)
    index.family("a", date_field="date")
    requests_of.clear()
    index.family("b", date_field="date")
    assert requests_of == [f"POST /{policies.name}/_msearch"] * 2
    searched: list[dict[str, Any]] = []
    send = index.store.gateway.send

    def recording(method: str, path: str, body: Any = None, **more: Any) -> Any:
        searched.extend(line for line in body if "_source" in line)
        return send(method, path, body, **more)

    monkeypatch.setattr(index.store.gateway, "send", recording)
    index.family("b", date_field="date")
    assert len(searched) >= 4
    assert all("text" not in (body["_source"] or ()) for body in searched)


def test_a_document_counts_before_a_family_of_that_name(policies: Shelf) -> None:
    name = policies.names()["a"]
    assert name is not None
    policies.put({name: text(700)})
    policies.find()
    assert [member.id for member in family(policies, name).members] == [name]


def test_a_name_that_no_document_has_any_more(policies: Shelf) -> None:
    name = family(policies, "stranger").name
    policies.delete("stranger")
    with pytest.raises(DocumentMissing, match=f"family '{name}'.*families list"):
        family(policies, name)


def test_what_is_not_there_has_no_family_or_no_fingerprints(policies: Shelf) -> None:
    with pytest.raises(DocumentMissing, match="neither a document nor a family 'nobody'"):
        family(policies, "nobody")
    policies.put({"new": text(2)})
    with pytest.raises(InputError, match=r"'new' has no family yet. Run `es-simhash families run"):
        family(policies, "new")
    plain = {"text": text(3)}
    policies.client.index(index=policies.name, id="plain", document=plain, refresh=True)
    with pytest.raises(InputError, match="no fingerprints and no family"):
        family(policies, "plain")


def test_wrong_dates_are_rejected(policies: Shelf) -> None:
    with pytest.raises(InputError, match=r"newer_than must be a date.*got 'yesterday'"):
        family(policies, "a", date_field="date", newer_than="yesterday")
    with pytest.raises(InputError, match="a field of dates is needed"):
        family(policies, "a", newer_than="2022-01-01")
    with pytest.raises(InputError, match="the nearest field of the mapping is 'date'"):
        family(policies, "a", date_field="dates")
    with pytest.raises(MappingConflict, match="not as a date"):
        family(policies, "a", date_field="text")
    with pytest.raises(InputError, match="date_field"):
        family(policies, "a", date_field="id.date")


def test_a_family_with_more_documents_than_are_read_says_so(
    policies: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    from es_simhash.questions import family_steps

    monkeypatch.setattr(family_steps, "MAX_MEMBERS", 2)
    history = family(policies, "a", date_field="date")
    assert (history.documents, history.truncated) == (3, True)
    # The representative and the newest.
    assert {member.id for member in history.members} == {str(history.representative), "b"}


def test_a_sidecar_has_no_families(policies: Shelf) -> None:
    from es_simhash.maintenance.backfills.backfill import backfill
    from es_simhash.questions.index import open_index

    name = f"{policies.name}-beside"
    try:
        assert all(outcome.ok for outcome in backfill(policies.client, policies.name, sidecar=name))
        with pytest.raises(MappingConflict, match=f"sidecar of '{policies.name}'.*families"):
            open_index(policies.client, name).family("a")
    finally:
        policies.client.indices.delete(index=name, ignore_unavailable=True)
