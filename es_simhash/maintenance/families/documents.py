"""Documents as families read them: their version, the stored family, and the analysed text."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from es_simhash.relation.analysed_text import AnalysedText, TextAnalyser
from es_simhash.store import fields
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import Date, DateField
from es_simhash.store.paths import get_path
from es_simhash.store.references import DocumentRef, DocumentVersion
from es_simhash.store.source import stored_text, text_of

# Documents in one page of hits; their texts are analysed together.
PAGE = 200


@dataclass(frozen=True)
class FamilyDocument:
    """A document, without its text.

    Attributes:
        version: Where it is, and in which version it was read.
        content_hash: Stored hash of its text.
        family: Stored family; None without one.
        represents: Whether it is stored that it represents its family; None when nothing is.
        date: Its date, as the engine reads it; None without one.
    """

    version: DocumentVersion
    content_hash: str
    family: str | None
    represents: bool | None
    date: Date | None

    @property
    def ref(self) -> DocumentRef:
        """Where it is."""
        return self.version.ref


@dataclass(frozen=True)
class ReadDocument:
    """A document with its analysed text.

    Attributes:
        document: The document.
        text: Its text; None without words.
        is_current: False when the text is missing, or is not the one that was fingerprinted.
    """

    document: FamilyDocument
    text: AnalysedText | None
    is_current: bool


def source_fields(config: IndexConfig) -> list[str]:
    """Return the fields of `_source` that `read_documents` needs."""
    members = (fields.CONTENT_HASH, fields.FAMILY, fields.REPRESENTATIVE, fields.STATUS)
    return [*config.text_fields, *map(config.path, members)]


def read_documents(
    hits: Iterable[Mapping[str, Any]], config: IndexConfig, date_field: DateField | None
) -> Iterator[ReadDocument]:
    """Yield the documents of hits with their analysed texts.

    Args:
        hits: Hits with the fields of `source_fields`, `_seq_no`, and the requested date.
        config: Of the index.
        date_field: Field of the date; None when dates do not matter.
    """
    remaining = iter(hits)
    while page := list(islice(remaining, PAGE)):
        sources = [hit.get("_source", {}) for hit in page]
        contents = [stored_text(source, config.text_field) for source in sources]
        texts = TextAnalyser(config.scheme).analyse_each(content or "" for content in contents)
        for hit, source, content, text in zip(page, sources, contents, texts, strict=True):
            document = FamilyDocument(
                DocumentVersion.of_hit(hit),
                text_of(source, config.path(fields.CONTENT_HASH)) or "",
                text_of(source, config.path(fields.FAMILY)),
                get_path(source, config.path(fields.REPRESENTATIVE)),
                None if date_field is None else date_field.of_hit(hit),
            )
            if text is not None:
                is_current = text.content_hash == document.content_hash
            else:
                is_empty = text_of(source, config.path(fields.STATUS)) == fields.STATUS_EMPTY
                is_current = content is not None and is_empty
            yield ReadDocument(document, text, is_current)
