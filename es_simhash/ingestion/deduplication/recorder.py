"""Records of decisions for the audit log, with short evidence."""

import time
from collections.abc import Mapping
from typing import Any

from es_simhash.ingestion.deduplication.audit_log import FORMAT, Record
from es_simhash.ingestion.deduplication.stored_documents import source_json
from es_simhash.ingestion.deduplication.version_decisions import Decision, IncomingDocument
from es_simhash.ingestion.deduplication.version_rules import RunContext
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.evidence import aligned_passages, shared_passages
from es_simhash.relation.thresholds import SCORE_DIGITS, SCORING
from es_simhash.store.rows import Row
from es_simhash.store.source import stored_text

_MAX_PASSAGES, _MAX_PASSAGE_CHARACTERS = 3, 160
# The search for the longest stretch is not worth more of a long text.
_MAX_TEXT_CHARACTERS = 20_000


class Recorder:
    """Makes the records of one run.

    Args:
        context: Context of the run.
    """

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._analyser = TextAnalyser(context.config.scheme)
        self._number = 0

    def record(
        self,
        decision: Decision,
        stored: Row | None,
        batch: Mapping[str, IncomingDocument],
    ) -> Record:
        """Return the record of one decision.

        Args:
            decision: About a version.
            stored: Its original; None when it is written together with the document.
            batch: Documents that are decided together, by id.
        """
        relation = decision.relation
        assert relation is not None
        self._number += 1
        head: dict[str, Any] = {
            "format": FORMAT,
            "run": self._context.run,
            "number": self._number,
            "time": int(time.time() * 1000),
            "index": self._context.index,
            "field": self._context.config.state_field,
            "id": decision.id,
            "other": decision.other,
            "action": decision.action,
            "kind": relation.kind,
            "score": relation.score,
            "scoring": SCORING,
            "coverage": [relation.coverage.of_query, relation.coverage.of_hit],
            "evidence": self._evidence(decision, stored, batch),
        }
        if decision.routing is not None:
            head["routing"] = decision.routing
        if decision.original is not None and decision.original.ref.routing is not None:
            head["other_routing"] = decision.original.ref.routing
        if decision.kept is not None:
            head["keep"] = decision.kept
        if decision.lost is not None:
            head["lost"] = {
                "share": round(decision.lost.share, SCORE_DIGITS),
                "facts": list(decision.lost.facts),
                "stretches": list(decision.lost.stretches),
            }
        if decision.undated:
            head["undated"] = list(decision.undated)
        if decision.action == "replace" and stored is not None:
            version = stored.read_version
            head["replaced"] = [stored.ref.index, version.seq_no, version.primary_term]
        if decision.family is not None:
            head["family"] = decision.family
            head["gave_family"] = stored is None or not stored.family
        return Record(head, self._lost_document(decision, stored, batch))

    def _evidence(
        self,
        decision: Decision,
        stored: Row | None,
        batch: Mapping[str, IncomingDocument],
    ) -> list[str]:
        """Return the longest passages both have, as they are in the new document."""
        text = self._text(decision.document.fields)
        if decision.relation is not None and decision.relation.kind == "exact":
            return [text[:_MAX_PASSAGE_CHARACTERS]]
        if stored is None:
            other = self._text(batch[str(decision.other)].fields)
        else:
            other = (stored.text or "")[:_MAX_TEXT_CHARACTERS]
        query, hit = (AnalysedText(each, self._analyser) for each in (text, other))
        passages = shared_passages(query, hit, aligned_passages(query, hit))
        copied = [passage for passage in passages if passage.kind != "paraphrased"]
        return [passage.query.text[:_MAX_PASSAGE_CHARACTERS] for passage in copied[:_MAX_PASSAGES]]

    def _text(self, source: Mapping[str, Any]) -> str:
        text = stored_text(source, self._context.config.text_field) or ""
        return text[:_MAX_TEXT_CHARACTERS]

    def _lost_document(
        self, decision: Decision, stored: Row | None, batch: Mapping[str, IncomingDocument]
    ) -> bytes | None:
        """Return the document that the index does not have, or will not have; None without one."""
        if decision.action == "skip":
            return decision.document.source
        if decision.action != "replace":
            return None
        if stored is None:
            return batch[str(decision.other)].source
        return source_json(stored, self._context.config)
