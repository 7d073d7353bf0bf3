"""What a sweep decides while other writers change the same documents, without an engine."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import fingerprint
from es_simhash.ingestion.deduplication.audit_log import FileAudit
from es_simhash.ingestion.deduplication.effects import WRITE_ATTEMPTS
from es_simhash.ingestion.deduplication.stored_documents import DocumentDates
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.maintenance.sweeps import family_policy
from es_simhash.maintenance.sweeps.changed_documents import ChangedDocument
from es_simhash.maintenance.sweeps.family_policy import FamilyPolicy, require_one_index
from es_simhash.pairs.family_changes import Family
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.thresholds import LOSE
from es_simhash.store.dates import DateField
from es_simhash.store.installation.date_fields import Reading
from es_simhash.store.intents import DocumentsAt
from tests.support.made_up_texts import make_text, revise
from tests.support.versioned_index import VersionedIndex

FIRST = make_text(1)
VERSION = revise(FIRST, 3)
LONGER = f"{FIRST} {make_text(2, 10)}"


class Dates:
    """Reads dates as they are in the documents."""

    def read(self, sources: Sequence[Mapping[str, Any]]) -> list[Reading]:
        return [Reading(source.get("published")) for source in sources]


@dataclass
class State:
    """What a person decided, as the state index has it."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    gateway: Any = None
    name: str = "i-simhash"
    field: str = "simhash"

    def hits(self, *kinds: str) -> Iterator[dict[str, Any]]:
        for entry in self.entries:
            if entry["kind"] in kinds:
                yield {"_index": self.name, "_id": "x", "_seq_no": 1, "_primary_term": 1,
                       "_source": entry}  # fmt: skip

    def note(self, kind: str, *ids: str) -> None:
        """Write what a person says of two documents."""
        self.entries.append({"kind": kind, "ids": sorted(ids), "undone": False, "pending": True})


class Sweep:
    """An index whose documents are one family, and sweeps that decide it.

    Args:
        path: Of the audit log.
    """

    def __init__(self, path: Path) -> None:
        self.index = VersionedIndex()
        self.audit = FileAudit(path)
        self.state = State()
        self.policy: FamilyPolicy

    def put(self, id: str, text: str, **more: Any) -> None:
        """Write a document with the fields of its text, in the family."""
        simhash = {"content_hash": fingerprint(text).content_hash, "family": "f"}
        self.index.put(id, {"text": text, "simhash": simhash, **more})

    def open(self, action: Any = "flag", **rules: Any) -> FamilyPolicy:
        """Return the policy of a sweep."""
        chosen = OnVersion(action, **{"lose": 1, **rules})
        reader: Any = Dates() if chosen.compares_dates else None
        dates = DocumentDates(DateField("published"), reader) if reader else DocumentDates()
        state: Any = self.state
        self.audit.open()
        self.policy = FamilyPolicy(self.index, state, self.index.config, chosen, dates, self.audit)
        return self.policy

    def decide(self, action: Any = "flag", *, new: str = "", **rules: Any) -> dict[str, int]:
        """Decide those of the documents that are named, or else all; return what was decided.

        Args:
            action: What is done with versions.
            new: Ids of one letter of the documents that were created since the last sweep, in
                their order; all others were there before. None: all are decided, and none is new.
            rules: Further rules.
        """
        refs = sorted(self.index.documents)
        changes = {
            ref: ChangedDocument(None, (new or ref.id).index(ref.id), bool(new), "f")
            for ref in refs
            if not new or ref.id in new
        }
        with self.open(action, **rules) as policy:
            policy.decide([Family("f", tuple(refs))], changes)
        return dict(policy.decisions)

    def flagged(self) -> dict[str, str]:
        """Return what each flagged document is a version of."""
        simhash = {ref.id: self.index.source(ref.id)["simhash"] for ref in self.index.documents}
        return {id: each["duplicate_of"] for id, each in simhash.items() if "duplicate_of" in each}

    def heads(self) -> list[dict[str, Any]]:
        """Return the heads of the records."""
        return [dict(record.head) for record in self.audit.read()]


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    """A family of an original and a copy of it, and an audit log."""
    sweep = Sweep(tmp_path / "audit.jsonl")
    sweep.put("a", FIRST)
    sweep.put("b", FIRST)
    return sweep


def test_a_version_is_flagged_with_its_original(sweep: Sweep) -> None:
    sweep.put("c", VERSION)
    assert sweep.decide() == {"flag": 2}
    assert sweep.flagged() == {"b": "a", "c": "a"}
    assert sweep.index.refreshed == 1
    heads = sweep.heads()
    assert [(head["id"], head["other"], head["in"]) for head in heads] == [
        ("b", "a", "i"), ("c", "a", "i")
    ]  # fmt: skip
    assert {head["run"] for head in heads} == {sweep.policy.run}
    assert sweep.policy.audit == sweep.audit.name
    # What is flagged is nobody's original, and not decided again.
    assert sweep.decide() == {}
    assert len(sweep.heads()) == 2


@pytest.mark.parametrize("action", ["flag", "link", "skip", "replace"])
def test_records_show_the_passages_that_both_texts_have(sweep: Sweep, action: str) -> None:
    sweep.put("c", VERSION)
    sweep.decide(action, new="bc")
    copy, version = (head["evidence"] for head in sweep.heads())
    assert copy == [FIRST[:160]]
    assert version
    assert all(len(each) > 20 and each in VERSION for each in version)


def test_documents_that_stay_are_not_read_whole(sweep: Sweep) -> None:
    def read(action: str) -> bool:
        sweep.index.requests.clear()
        sweep.decide(action)
        (request,) = [each for each in sweep.index.requests if isinstance(each, DocumentsAt)]
        return request.parts.whole

    assert not read("flag")
    assert read("skip")
    assert read("replace")


def test_a_linked_version_gets_the_name_of_the_family(sweep: Sweep) -> None:
    sweep.index.update("b", {"simhash": {"family": "another"}})
    assert sweep.decide("link") == {"link": 1}
    simhash = sweep.index.source("b")["simhash"]
    assert (simhash["duplicate_of"], simhash["family"]) == ("a", "f")
    assert sweep.heads()[0]["family"] == "f"


def test_a_new_version_is_deleted_with_a_record_of_all_it_had(sweep: Sweep) -> None:
    sweep.put("c", VERSION, note="kept")
    assert sweep.decide("skip", new="c") == {"skip": 1}
    # The copy was there before: nobody decides about it.
    assert sweep.index.ids() == {"a", "b"}
    (record,) = sweep.audit.read()
    assert record.document is not None
    assert b'"note": "kept"' in record.document
    assert b"simhash" not in record.document


@pytest.mark.parametrize("action", ["skip", "replace"])
def test_a_document_that_existed_before_is_flagged_and_never_deleted(
    sweep: Sweep, action: str
) -> None:
    sweep.put("c", LONGER)
    assert sweep.decide(action) == {"flag": 2}
    assert sweep.flagged() == {"b": "a", "c": "a"}
    assert sweep.index.ids() == {"a", "b", "c"}


def test_the_longest_replaces_its_original_and_is_that_of_later_ones(sweep: Sweep) -> None:
    sweep.index.delete("b")
    sweep.put("c", LONGER)
    sweep.put("d", f"{LONGER} {make_text(3, 9)}")
    sweep.put("e", FIRST)
    assert sweep.decide("replace", new="cde", keep="longest") == {"replace": 2, "skip": 1}
    assert sweep.index.ids() == {"d"}
    assert [(head["id"], head["other"]) for head in sweep.heads()] == [
        ("c", "a"), ("d", "c"), ("e", "d")
    ]  # fmt: skip
    assert [head.get("replaced") for head in sweep.heads()] == [["i", 0, 1], ["i", 2, 1], None]


def test_only_the_original_that_is_replaced_is_no_original_any_more(sweep: Sweep) -> None:
    sweep.index.delete("b")
    sweep.put("b", make_text(7))
    sweep.put("c", LONGER)
    sweep.put("d", make_text(7))
    assert sweep.decide("replace", new="cd", keep="longest") == {"replace": 1, "skip": 1}
    assert sweep.index.ids() == {"b", "c"}


def test_the_newest_is_kept_and_those_without_a_date_are_named(sweep: Sweep) -> None:
    sweep.put("c", VERSION, published=5.0)
    sweep.put("d", VERSION)
    rules = {"keep": "newest", "date_field": "published"}
    assert sweep.decide("replace", new="cd", **rules) == {"replace": 1, "skip": 1}
    assert sweep.policy.undated == {"a", "d"}
    assert sweep.index.ids() == {"b", "c"}


def test_dates_that_decide_nothing_are_missed_of_nobody(sweep: Sweep) -> None:
    assert sweep.decide("flag", date_field="published") == {"flag": 1}
    assert sweep.policy.undated == set()


def test_what_would_lose_text_is_kept_and_flagged(sweep: Sweep) -> None:
    sweep.put("c", f"{FIRST} {make_text(2, 60)}")
    sweep.put("d", FIRST.rpartition(" ")[0])
    assert sweep.decide("skip", new="cd", lose=LOSE) == {"retain": 1, "skip": 1}
    assert sweep.flagged() == {"c": "a"}
    assert sweep.index.ids() == {"a", "b", "c"}
    # The other way round nothing is lost.
    sweep.put("e", f"{FIRST} {make_text(2, 60)}")
    assert sweep.decide("replace", new="e", lose=LOSE) == {"replace": 1}


def test_a_dismissed_original_is_passed_over_for_another(sweep: Sweep) -> None:
    sweep.put("c", VERSION)
    sweep.state.note("dismissal", "a", "c")
    assert sweep.decide("flag", new="c") == {"flag": 1}
    assert sweep.flagged() == {"c": "b"}
    sweep.put("d", VERSION)
    sweep.state.note("dismissal", "a", "d")
    sweep.state.note("dismissal", "b", "d")
    assert sweep.decide("flag", new="d") == {}


def test_a_joined_document_is_a_version_whatever_its_text_is(sweep: Sweep) -> None:
    sweep.put("c", make_text(9))
    assert sweep.decide("flag", new="c") == {}
    sweep.state.note("join", "b", "c")
    assert sweep.decide("flag", new="c") == {"flag": 1}
    assert sweep.flagged() == {"c": "b"}


def test_documents_are_read_some_at_a_time(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_policy, "_MEMBERS", 2)
    for id in "cde":
        sweep.put(id, VERSION)
    assert sweep.decide("flag", new="cde") == {"flag": 3}
    assert set(sweep.flagged().values()) == {"a"}


# Other writers.


def test_a_document_that_was_deleted_or_flagged_since_is_left(sweep: Sweep) -> None:
    sweep.put("c", FIRST)

    def others() -> None:
        sweep.index.update("b", {"simhash": {"duplicate_of": "mine"}})
        sweep.index.delete("c")

    sweep.index.before_read = [others]
    assert sweep.decide() == {}
    assert sweep.flagged() == {"b": "mine"}
    assert sweep.heads() == []


def test_a_batch_of_which_nothing_is_left_decides_nothing(sweep: Sweep) -> None:
    for id in "ab":
        sweep.index.update(id, {"simhash": {"duplicate_of": "mine"}})
    assert sweep.decide() == {}
    assert (sweep.heads(), sweep.index.written) == ([], 0)


@pytest.mark.parametrize("text", [make_text(5), None])
def test_a_text_that_has_no_fingerprints_yet_is_left_to_the_next_sweep(
    sweep: Sweep, text: str | None
) -> None:
    sweep.put("c", FIRST)
    sweep.index.before_read = [lambda: sweep.index.update("b", {"text": text})]
    assert sweep.decide() == {"flag": 1}
    assert sweep.flagged() == {"c": "a"}


@pytest.mark.parametrize("action", ["flag", "link", "skip"])
def test_a_version_that_is_changed_while_it_is_decided_is_left(sweep: Sweep, action: str) -> None:
    sweep.put("c", FIRST)
    sweep.index.before_write = [lambda: sweep.index.update("b", {"note": "kept"})]
    assert sweep.decide(action, new="bc") == {action: 1}
    assert sweep.policy.conflicted == ["b"]
    assert sweep.index.source("b")["note"] == "kept"
    assert "b" not in sweep.flagged()


def test_a_version_that_is_deleted_while_it_is_decided_is_not_written_again(sweep: Sweep) -> None:
    sweep.index.before_write = [lambda: sweep.index.delete("b")]
    assert sweep.decide() == {}
    assert sweep.policy.conflicted == ["b"]
    assert sweep.index.ids() == {"a"}


def replaced_by_longer(sweep: Sweep, *others: Callable[[], object]) -> dict[str, int]:
    """Let a longer text replace the original, while others write before each deletion."""
    sweep.index.delete("b")
    sweep.put("c", LONGER)
    sweep.index.before_write = list(others)
    return sweep.decide("replace", new="c")


def test_an_original_that_gets_another_field_is_recorded_as_it_is_deleted(sweep: Sweep) -> None:
    assert replaced_by_longer(sweep, lambda: sweep.index.update("a", {"note": "kept"})) == {
        "replace": 1
    }
    assert sweep.index.ids() == {"c"}
    first, last = sweep.audit.read()
    assert b"note" not in (first.document or b"")
    assert b'"note": "kept"' in (last.document or b"")
    assert last.head["number"] == 2
    assert [record.head["in"] for record in (first, last)] == ["i", "i"]
    assert last.head["replaced"] == ["i", 3, 1]


def test_an_original_that_gets_another_text_is_not_deleted(sweep: Sweep) -> None:
    simhash = {"content_hash": fingerprint(VERSION).content_hash}
    other = {"text": VERSION, "simhash": simhash}
    replaced_by_longer(sweep, lambda: sweep.index.update("a", other))
    assert sweep.index.ids() == {"a", "c"}


@pytest.mark.parametrize("changes", [WRITE_ATTEMPTS - 1, WRITE_ATTEMPTS])
def test_an_original_that_never_rests_is_not_deleted(sweep: Sweep, changes: int) -> None:
    def change() -> None:
        sweep.index.update("a", {"n": sweep.index.written})

    replaced_by_longer(sweep, *[change] * changes)
    assert sweep.index.ids() == ({"c"} if changes < WRITE_ATTEMPTS else {"a", "c"})


def test_deletions_that_a_killed_sweep_left_are_done_by_the_next(
    sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(FamilyPolicy, "_apply", killed)
        with pytest.raises(KeyboardInterrupt):
            replaced_by_longer(sweep)
    assert sweep.index.ids() == {"a", "c"}
    # Rules that remove nothing finish nothing.
    for action, left in (("flag", {"a", "c"}), ("skip", {"a", "c"}), ("replace", {"c"})):
        with sweep.open(action) as policy:
            policy.recover()
        assert sweep.index.ids() == left


def test_the_log_is_closed_in_the_end(sweep: Sweep) -> None:
    sweep.decide()
    # It is locked as long as it is open.
    again = FileAudit(Path(sweep.audit.name))
    again.open()
    again.close()


@pytest.mark.parametrize("action", ["flag", "link", "skip", "replace"])
def test_documents_are_removed_from_one_index_only(action: Any) -> None:
    rules = OnVersion(action)
    require_one_index(rules, ["i"])
    if action in ("flag", "link"):
        require_one_index(rules, ["i", "j"])
        return
    for indices in (["j", "i"], ["j", "i", "h"]):
        with pytest.raises(InputError, match=f"{action!r} removes .* i, j; use flag or link"):
            require_one_index(rules, indices)


def test_documents_of_an_index_are_decided_where_they_are(sweep: Sweep) -> None:
    simhash = {"content_hash": fingerprint(FIRST).content_hash, "family": "f"}
    sweep.index.put("d", {"text": FIRST, "simhash": simhash}, routing="r")
    assert sweep.decide("skip", new="d") == {"skip": 1}
    (head,) = sweep.heads()
    assert (head["id"], head["routing"], "other_routing" in head) == ("d", "r", False)
    assert DocumentRef("i", "d", "r") not in sweep.index.documents
