"""Whether a decision removes words that no other document has; then both are kept."""

from dataclasses import replace

from es_simhash.ingestion.deduplication.version_decisions import Decision, IncomingDocument
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.loss import LostText
from es_simhash.relation.lost_text import lost_text
from es_simhash.store.config import IndexConfig
from es_simhash.store.source import stored_text

# Results that are remembered: a batch is decided again when something that it rests on is gone.
_MAX_REMEMBERED = 5000


class LostTexts:
    """Compares the texts of removals, and turns those that would lose too much into flags.

    Args:
        rules: What may be lost.
        config: How the index is read and fingerprinted.
    """

    def __init__(self, rules: OnVersion, config: IndexConfig) -> None:
        self._lose = rules.lose
        self._text_field = config.text_field
        self._analyser = TextAnalyser(config.scheme)
        self._remembered: dict[tuple[str, str], LostText] = {}

    def concerns(self, decision: Decision) -> bool:
        """Check whether a decision removes a text that is not the same as the one that stays."""
        if self._lose >= 1 or decision.relation is None or decision.original is None:
            return False
        return decision.action in ("skip", "replace") and decision.relation.kind != "exact"

    def text_of(self, document: IncomingDocument) -> str:
        """Return the text of a document that is written in the same batch."""
        return stored_text(document.fields, self._text_field) or ""

    def checked(self, decision: Decision, text: str, other: str) -> Decision:
        """Return a decision that removes a text, or one that keeps both.

        Args:
            decision: One that it `concerns`.
            text: Text of the document.
            other: Text of the original.
        """
        assert decision.original is not None
        hashes = decision.document.content_hash, decision.original.text.content_hash
        if decision.action == "skip":
            lost = self._lost((text, other), hashes)
        else:
            lost = self._lost((other, text), hashes[::-1])
        decision = replace(decision, lost=lost)
        return decision if lost.is_within(self._lose) else replace(decision, action="retain")

    def _lost(self, texts: tuple[str, str], hashes: tuple[str, str]) -> LostText:
        """Return what is lost of the first text."""
        lost = self._remembered.get(hashes)
        if lost is None:
            gone, kept = (AnalysedText(text, self._analyser) for text in texts)
            lost = lost_text(gone, kept)
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[hashes] = lost
        return lost
