"""Whether a text that is not indexed is in the index already; nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from es_simhash.errors import InputError
from es_simhash.ingestion.bulk.lookup import paths_apart, values_apart
from es_simhash.ingestion.deduplication.lost_texts import LostTexts
from es_simhash.ingestion.deduplication.original_search import OriginalSearch
from es_simhash.ingestion.deduplication.recent_documents import most_shared
from es_simhash.ingestion.deduplication.stored_documents import as_it_is
from es_simhash.ingestion.deduplication.version_decisions import (
    Decision,
    IncomingDocument,
    Original,
    best_original,
    decide_version,
)
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.pairs.parted_texts import Values, Within, values_of
from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.store.config import IndexConfig
from es_simhash.store.intents import DocumentsAt, Filter, Parts, Where
from es_simhash.store.protocol import Store


@dataclass(frozen=True)
class DraftCheck:
    """Decides about texts as `ingest --on-version skip` does, and writes nothing.

    Documents that are versions of others count as well: a text may be that of one of them.

    Attributes:
        store: The index.
        config: How it is read and fingerprinted.
    """

    store: Store
    config: IndexConfig

    def decide(
        self,
        text: str,
        rules: OnVersion,
        *,
        filters: Sequence[Filter] = (),
        within: Within | None = None,
    ) -> Decision:
        """Return what would become of a text.

        Args:
            text: The text.
            rules: What counts as a version, and how much of a text may be lost.
            filters: Queries that a document must match to count.
            within: Values of the text in the field that keeps documents apart, an empty list for
                none: a document of other values does not count. None for all documents.

        Raises:
            InputError: The text has no words, or no field of the index keeps documents apart.
        """
        values = self._values(within)
        fingerprints = AnalysedText(text, TextAnalyser(self.config.scheme)).fingerprints
        if fingerprints.is_empty:
            raise InputError("The text has no words to fingerprint. Give another text.")
        draft = IncomingDocument("", 0, fingerprints, b"{}", b"{}", values=values)
        where = Where(tuple(filters), fingerprinted=True)
        search = OriginalSearch(self.store, self.config, ManualPairs(), None, where)
        (found,) = search.search([draft])
        candidates = most_shared(draft.query, found)
        while True:
            best = best_original(draft, candidates, rules, self.config.versions_from)
            if best is None:
                return Decision(draft.id, "write", document=draft)
            decision = decide_version(draft, *best, rules, exists=False)
            losses, other = LostTexts(rules, self.config), self._text(draft, best[1])
            if other is not None:
                is_checked = losses.concerns(decision)
                return losses.checked(decision, text, other) if is_checked else decision
            # It was deleted, or has another text or owner by now.
            candidates = [each for each in candidates if each is not best[1]]

    def _values(self, within: Within | None) -> Values | None:
        if within is None:
            return None
        if not self.config.within:
            name = self.store.name
            raise InputError(
                f"Index {name!r} has no field that keeps documents apart, so that within cannot "
                f"be {within!r}. Run `es-simhash config {name} --within FIELD`, or leave it out.",
                parameter="within",
            )
        return values_of([within] if isinstance(within, str | int) else within)

    def _text(self, draft: IncomingDocument, original: Original) -> str | None:
        """Return the text of a document; None where it is not the one that was found."""
        parts = Parts(text=True, members=True, fields=tuple(paths_apart(self.config)))
        (rows,) = self.store.ask([DocumentsAt((original.ref,), parts)])
        row = rows.get(original.ref)
        if row is None or as_it_is(row).content_hash != original.text.content_hash:
            return None
        current = replace(original, values=values_apart(row.source, self.config))
        return (row.text or "") if draft.may_be_version_of(current) else None
