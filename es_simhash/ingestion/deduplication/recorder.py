"""Records of decisions for the audit log, with short evidence."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from es_simhash.ingestion.deduplication.audit_log import FORMAT, Record
from es_simhash.ingestion.deduplication.stored_documents import source_json
from es_simhash.ingestion.deduplication.version_decisions import Decision, IncomingDocument
from es_simhash.ingestion.deduplication.version_rules import RunContext
from es_simhash.relation.alignment.aligned_passages import AlignedPassage
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.evidence import passages_of_pairs
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

    def records(
        self,
        decided: Sequence[tuple[Decision, Row | None]],
        batch: Mapping[str, IncomingDocument],
    ) -> list[Record]:
        """Return the records of decisions, whose texts are aligned together.

        Args:
            decided: Decisions about versions, each with its original; None for one that is written
                together with the document.
            batch: Documents that are decided together, by id.
        """
        evidence = self._evidence(decided, batch)
        return [
            self._record(decision, stored, batch, passages)
            for (decision, stored), passages in zip(decided, evidence, strict=True)
        ]

    def _record(
        self,
        decision: Decision,
        stored: Row | None,
        batch: Mapping[str, IncomingDocument],
        evidence: list[str],
    ) -> Record:
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
            "evidence": evidence,
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
            written = batch.get(decision.stands_for_it, decision.document)
            head["successor"] = [written.id, written.content_hash, written.routing]
        if decision.family is not None:
            head["family"] = decision.family
            head["gave_family"] = stored is None or not stored.family
        return Record(head, self._lost_document(decision, stored, batch))

    def _evidence(
        self,
        decided: Sequence[tuple[Decision, Row | None]],
        batch: Mapping[str, IncomingDocument],
    ) -> Iterator[list[str]]:
        """Yield the longest passages both texts have, as they are in each new document."""
        pairs = [
            (self._text(decision.document.fields), self._other_text(decision, stored, batch))
            for decision, stored in decided
            if not _is_copy(decision)
        ]
        analysed = [
            (AnalysedText(text, self._analyser), AnalysedText(other, self._analyser))
            for text, other in pairs
        ]
        passages = zip(analysed, passages_of_pairs(analysed), strict=True)
        for decision, _ in decided:
            if _is_copy(decision):
                shown = [self._text(decision.document.fields)]
            else:
                (query, _), aligned = next(passages)
                shown = _longest_copied(query, aligned)
            yield [text[:_MAX_PASSAGE_CHARACTERS] for text in shown]

    def _other_text(
        self, decision: Decision, stored: Row | None, batch: Mapping[str, IncomingDocument]
    ) -> str:
        if stored is None:
            return self._text(batch[str(decision.other)].fields)
        return (stored.text or "")[:_MAX_TEXT_CHARACTERS]

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


def _is_copy(decision: Decision) -> bool:
    return decision.relation is not None and decision.relation.kind == "exact"


def _longest_copied(query: AnalysedText, passages: Sequence[AlignedPassage]) -> list[str]:
    """Return the passages of a text that share most with the other, without paraphrased ones."""
    copied = [each for each in passages if each.agreement.kind != "paraphrased"]
    copied.sort(key=lambda passage: passage.rank_by_weight)
    spans = (query.span(each.at.query_start, each.at.query_end) for each in copied[:_MAX_PASSAGES])
    return [span.text for span in spans]
