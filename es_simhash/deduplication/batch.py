"""Decisions of a batch that agree with what is in the index, and with what others reserved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from es_simhash.deduplication.choice import choose
from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.decision import Decision, Item, Known, moment_of
from es_simhash.deduplication.recent import Entry, Recent
from es_simhash.deduplication.reservations import Reservations
from es_simhash.deduplication.stored_documents import Fact, Facts
from es_simhash.storage import fields
from es_simhash.storage.source import text_of


@dataclass
class Agreement:
    """What is known while a batch is decided.

    Attributes:
        gone: Ids of documents that are not there any more.
        owners: By content hash, documents of other writers that searches do not see yet.
        facts: Documents of the index that decisions rest on, by id.
        before: What was known lately of each id that was put since.
    """

    gone: set[str] = field(default_factory=set)
    owners: dict[str, Known] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    before: list[tuple[str, Entry | None]] = field(default_factory=list)


class Agreeing:
    """Decides batches in order.

    Args:
        setting: Of the policy.
        recent: What was written lately; what is decided is added to it.
        facts: Reads documents.
        reservations: Of this run.

    Attributes:
        reserved: Ids by the content hashes that were reserved for the last batch.
    """

    def __init__(
        self, setting: Setting, recent: Recent, facts: Facts, reservations: Reservations
    ) -> None:
        self._setting = setting
        self._recent = recent
        self._facts = facts
        self._reservations = reservations
        self._order = 0
        self.reserved: dict[str, str] = {}

    def decide(
        self, items: Sequence[Item], known: Sequence[Sequence[Known]]
    ) -> tuple[list[Decision], dict[str, Fact]]:
        """Decide until nothing that a decision rests on turns out to be gone or reserved.

        Args:
            items: The documents.
            known: For each, what the index answered.
        """
        agreement = Agreement()
        self.reserved = {}
        while True:
            decisions = self._tentative(items, known, agreement)
            gone = self._facts.complete(decisions, agreement.facts)
            if not gone and not self._reserve(decisions, agreement):
                return decisions, agreement.facts
            agreement.gone |= gone
            while agreement.before:
                self._recent.put_back(*agreement.before.pop())

    def _tentative(
        self, items: Sequence[Item], known: Sequence[Sequence[Known]], agreement: Agreement
    ) -> list[Decision]:
        decisions = []
        for item, answered in zip(items, known, strict=True):
            owner = agreement.owners.get(item.prints.content_hash)
            lately = self._recent.exists(item.id)
            decision = choose(
                item,
                answered if owner is None else [*answered, owner],
                self._recent,
                self._setting.rules,
                exists=item.exists if lately is None else lately,
                without=agreement.gone,
            )
            decisions.append(decision)
            self._remember(decision, agreement)
        return decisions

    def _remember(self, decision: Decision, agreement: Agreement) -> None:
        def keep(id: str) -> None:
            agreement.before.append((id, self._recent.get(id)))

        if decision.action == "skip":
            return
        self._order += 1
        leads = decision.action in ("write", "replace") and not decision.item.prints.is_empty
        keep(decision.id)
        known = replace(decision.item.known, order=self._order) if leads else None
        self._recent.put(decision.id, known)
        if decision.action == "replace" and decision.other is not None:
            keep(decision.other)
            self._recent.put(decision.other, None, exists=False)

    def _reserve(self, decisions: Sequence[Decision], agreement: Agreement) -> bool:
        """Reserve new texts; True when somebody else was quicker with one."""
        wanted: dict[str, Item] = {}
        for each in decisions:
            content_hash = each.item.prints.content_hash
            is_new = each.relation is None or each.relation.kind != "exact"
            leads = each.action in ("write", "replace") and not each.item.prints.is_empty
            if is_new and leads and content_hash not in self.reserved:
                wanted.setdefault(content_hash, each.item)
        taken = self._reservations.acquire({key: item.id for key, item in wanted.items()})
        for content_hash, item in wanted.items():
            if content_hash in taken:
                agreement.owners[content_hash] = self._owner(taken[content_hash], item)
            else:
                self.reserved[content_hash] = item.id
        return bool(taken)

    def _owner(self, stored: Fact, item: Item) -> Known:
        source, name = stored["_source"], self._setting.date_field
        return replace(
            item.known,
            id=stored["_id"],
            index=stored["_index"],
            moment=None if name is None else moment_of(source, name),
            family=text_of(source, self._setting.path(fields.FAMILY)),
        )

    def forget(self, decisions: Sequence[Decision], failed: Callable[[str], bool]) -> None:
        """Take back what was remembered of documents that were not written."""
        for each in decisions:
            if failed(each.id):
                self._recent.drop(each.id)
                if each.action == "replace" and each.target is not None:
                    self._recent.put(each.target.id, each.target)
        self._reservations.release(key for key, id in self.reserved.items() if failed(id))


def superseded(decisions: Sequence[Decision]) -> list[Decision]:
    """Mark new documents that a later one of the same batch replaces: they need not be written."""
    by: dict[str, str] = {}
    marked: list[Decision] = []
    for each in reversed(decisions):
        marked.append(each if each.exists else replace(each, superseded=by.get(each.id)))
        if each.action == "replace" and each.other is not None:
            by[each.other] = each.id
        elif each.action == "write":
            by.pop(each.id, None)
    return marked[::-1]
