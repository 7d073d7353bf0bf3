"""A text of an index, and where it is."""

from dataclasses import dataclass

from es_simhash.relation.analysed_text import AnalysedText
from es_simhash.relation.references import DocumentRef


@dataclass(frozen=True)
class QueryDocument:
    """A text to find relations of, or one that was found, and where it is when it is stored."""

    text: AnalysedText
    ref: DocumentRef | None = None

    @property
    def own_ids(self) -> list[str]:
        """Its id, which no search for what is related to it returns."""
        return [] if self.ref is None else [self.ref.id]
