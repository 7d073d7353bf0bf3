"""Documents that decisions rest on, as they are in the index at the moment."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.decision import Decision
from es_simhash.deduplication.requests import Requests
from es_simhash.storage import fields
from es_simhash.storage.source import text_of

Fact = Mapping[str, Any]


class Facts:
    """Reads documents in real time, which searches cannot.

    Args:
        requests: Of the policy.
        setting: Of the policy.
    """

    def __init__(self, requests: Requests, setting: Setting) -> None:
        self._requests = requests
        self._setting = setting
        members = (fields.CONTENT_HASH, fields.FAMILY)
        wanted = [setting.text_field, *(setting.path(each) for each in members)]
        # What is replaced goes to the audit log as a whole.
        self._wanted = None if setting.rules.action == "replace" else wanted

    def read(self, keys: Sequence[tuple[str | None, str]]) -> list[Fact]:
        """Return documents by index, None for the user's, and id."""
        return self._requests.documents(keys, self._wanted)

    def complete(self, decisions: Sequence[Decision], facts: dict[str, Fact]) -> set[str]:
        """Read what is missing; give the ids of documents that are gone, or have another text.

        Documents that are written together with those that rest on them cannot be read yet.
        """
        written = set()
        wanted: dict[str, Decision] = {}
        for each in decisions:
            other = each.other
            if other is not None and other not in written and other not in facts:
                wanted[other] = each
            if each.action != "skip":
                written.add(each.id)
        keys = [(each.target.index if each.target else None, id) for id, each in wanted.items()]
        facts.update(zip(wanted, self.read(keys), strict=True))
        return {id for id, each in wanted.items() if not self.is_as_decided(each, facts[id])}

    def is_as_decided(self, decision: Decision, fact: Fact) -> bool:
        """Check whether the other document is there, with the text that was compared."""
        assert decision.target is not None
        if not fact.get("found") or "_source" not in fact:
            return False
        stored = text_of(fact["_source"], self._setting.path(fields.CONTENT_HASH))
        return stored == decision.target.content_hash

    def family(self, fact: Fact) -> str | None:
        """Return the family of a document; None without one."""
        return text_of(fact.get("_source", {}), self._setting.path(fields.FAMILY))
