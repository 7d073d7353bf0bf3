"""Records of decisions for the audit log, with short evidence."""

import json
import time
from collections.abc import Mapping
from typing import Any

from es_simhash.bulk.documents import cut
from es_simhash.deduplication.audit_records import Record
from es_simhash.deduplication.context import Setting
from es_simhash.deduplication.decision import Decision, Item
from es_simhash.deduplication.stored_documents import Fact, Facts
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.passages import shared_passages
from es_simhash.storage.source import stored_text

# Shared passages that are written down, and characters of each.
_PASSAGES, _CHARACTERS = 3, 160
# The search for the longest stretch is not worth more of a long text.
_MOST_CHARACTERS = 20_000


def without_ours(fact: Fact, setting: Setting) -> bytes:
    """Return the JSON of a document without our object, which is made anew when it is put back."""
    return cut(json.dumps(fact["_source"]), {setting.field}).encode()


class Recorder:
    """Makes the records of one run.

    Args:
        setting: Of the policy.
        facts: Reads documents.
    """

    def __init__(self, setting: Setting, facts: Facts) -> None:
        self._setting = setting
        self._facts = facts
        self._number = 0

    def record(self, decision: Decision, fact: Fact | None, batch: Mapping[str, Item]) -> Record:
        """Return the record of one decision.

        Args:
            decision: About a version.
            fact: The other document; None when it is written together with this one.
            batch: Documents that are decided together, by id.
        """
        relation = decision.relation
        assert relation is not None
        self._number += 1
        head: dict[str, Any] = {
            "run": self._setting.run,
            "number": self._number,
            "time": int(time.time() * 1000),
            "index": self._setting.index,
            "field": self._setting.field,
            "id": decision.id,
            "other": decision.other,
            "action": decision.action,
            "kind": relation.kind,
            "score": relation.score,
            "coverage": [relation.coverage.of_query, relation.coverage.of_hit],
            "evidence": self._evidence(decision, fact, batch),
        }
        if decision.kept is not None:
            head["keep"] = decision.kept
        if decision.action == "replace" and fact is not None:
            head["replaced"] = [fact["_index"], fact["_seq_no"], fact["_primary_term"]]
        if decision.family is not None:
            head["family"] = decision.family
            head["gave_family"] = fact is None or not self._facts.family(fact)
        return Record(head, self._lost(decision, fact, batch))

    def _lost(
        self, decision: Decision, fact: Fact | None, batch: Mapping[str, Item]
    ) -> bytes | None:
        """Return the document the index has not, or will not have."""
        if decision.action == "skip":
            return decision.item.source
        if decision.action != "replace":
            return None
        if fact is None:
            return batch[str(decision.other)].source
        return without_ours(fact, self._setting)

    def _evidence(
        self, decision: Decision, fact: Fact | None, batch: Mapping[str, Item]
    ) -> list[str]:
        """Return the longest passages both have, as they stand in the new document."""
        ours = self._text(decision.item.fields)
        if decision.relation is not None and decision.relation.kind == "exact":
            return [ours[:_CHARACTERS]]
        other = fact["_source"] if fact is not None else batch[str(decision.other)].fields
        theirs = self._text(other)
        analyser = TextAnalyser(self._setting.scheme)
        found = shared_passages(
            AnalysedText(ours, analyser), AnalysedText(theirs, analyser), _PASSAGES
        )
        return [each.query.text[:_CHARACTERS] for each in found]

    def _text(self, fields: Mapping[str, Any]) -> str:
        return (stored_text(fields, self._setting.text_field) or "")[:_MOST_CHARACTERS]
