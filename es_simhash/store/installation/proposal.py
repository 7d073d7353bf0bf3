"""Fields of an index that look like its text, title, date and so on: a proposal for a person.

Names alone are not trusted: a field counts only with values in a sample of the documents, of the
type that it is for. What is not clear is not proposed. A headline and a body are one text: a notice
may name what it is about in its headline only.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import content_hash
from es_simhash.store.config import DocumentSettings
from es_simhash.store.dates import DATE_TYPES
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import CONTENT_HASH, DEFAULT_FIELD, field_path
from es_simhash.store.installation.document_settings import SAMPLED, sample_sources
from es_simhash.store.installation.sidecar_source import sidecar_source
from es_simhash.store.mapped_fields import (
    TEXT_NAMES,
    TEXT_TYPES,
    TITLE_NAMES,
    mapped_fields,
    nested_parent,
)
from es_simhash.store.paths import get_path, get_values
from es_simhash.store.source import stored_text
from es_simhash.text.normal_forms import normalise

# What the last part of a field's name is, best first.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "text": TEXT_NAMES,
    "title": TITLE_NAMES,
    "date": (
        "published", "publication_date", "published_at", "pubdate", "date", "datum", "effective",
        "veröffentlicht", "veroeffentlicht", "erschienen", "publié", "publicado", "fecha", "data",
        "发布时间", "发布日期", "日期", "تاريخ_النشر", "التاريخ", "تاريخ", "दिनांक", "तारीख",
        "created", "created_at", "updated", "updated_at", "timestamp", "@timestamp",
    ),
    "owner": (
        "owner", "section", "publisher", "department", "category", "source", "author",
        "ressort", "rubrik", "rubrique", "sección", "seccion",
        "栏目", "来源", "القسم", "المصدر", "विभाग", "स्रोत",
    ),
    "language": (
        "language", "lang", "locale", "sprache", "langue", "idioma", "语言", "اللغة", "भाषा",
    ),
    "link": ("url", "link", "permalink", "uri", "href"),
}  # fmt: skip
# Characters that a text has, in the middle of a sample, and that a title or another name has.
_LEAST_TEXT, _MOST_TITLE, _MOST_NAME = 100, 300, 100
# Share of the documents that must have the field.
_LEAST_SHARE = 0.5


def propose_settings(
    client: Client, index: str, *, simhash_field: str = DEFAULT_FIELD
) -> DocumentSettings:
    """Return what an index may say of its documents; see `Index.propose_settings`."""
    gateway = Gateway.of(client)
    source = sidecar_source(gateway, index, simhash_field) or index
    types = {
        path: field.type
        for mapping in gateway.mappings(source).values()
        for path, field in mapped_fields(mapping).items()
        if field.source == path and not path.startswith(f"{simhash_field}.")
        # Of nested documents a document has many, and one text.
        if nested_parent(mapping, path) is None
    }
    fields = _Fields(types, sample_sources(gateway, source))
    link = fields.best("link", lambda field: fields.has_links(field))
    text = fields.best("text", fields.is_long) or fields.longest()
    title = fields.title(text)
    hashed = _hashed(gateway, index, source, simhash_field)
    return DocumentSettings(
        text=_fingerprinted(fields.whole_text(text, title), text, hashed),
        title=title,
        date=fields.best("date", lambda field: types[field] in DATE_TYPES),
        owner=fields.best("owner", lambda field: fields.is_short(field, _MOST_NAME), text),
        language=fields.best("language", lambda field: fields.is_short(field, _MOST_NAME), text),
        link=None if link is None else f"{{{link}}}",
    )


def propose_text(sample: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the fields of a headline and a body, where documents that no index has have both.

    Args:
        sample: Some of the documents.
    """
    names = {name for source in sample for name, value in source.items() if isinstance(value, str)}
    fields = _Fields(dict.fromkeys(sorted(names), "text"), sample)
    text = fields.best("text", fields.is_long)
    title = fields.title(text)
    return None if title is None else fields.whole_text(text, title)


def _fingerprinted(
    whole: str | None, body: str | None, hashed: Sequence[tuple[Mapping[str, Any], str]]
) -> str | None:
    """Return the body alone where that was fingerprinted, and the headline was not.

    Args:
        whole: Headline and body.
        body: The body.
        hashed: Documents with the hashes of their fingerprinted texts.
    """
    if whole is None or body is None or whole == body:
        return whole
    matching = {
        names: sum(_hash(source, names) == content_hash for source, content_hash in hashed)
        for names in (whole, body)
    }
    return body if matching[body] > matching[whole] else whole


def _hashed(
    gateway: Gateway, index: str, source: str, simhash_field: str
) -> list[tuple[Mapping[str, Any], str]]:
    """Return some documents that have fingerprints, with the hashes of their texts.

    Args:
        gateway: To the cluster.
        index: The index, or a sidecar, which has the hashes.
        source: The index that has the texts.
        simhash_field: Field of the `simhash` object.
    """
    path = field_path(simhash_field, CONTENT_HASH)
    body = {"size": SAMPLED, "query": {"exists": {"field": path}}, "sort": ["_doc"]}
    (found,) = gateway.search_all(index, [body])
    hashes = {hit["_id"]: get_path(hit.get("_source", {}), path) for hit in found["hits"]["hits"]}
    (texts,) = gateway.search_all(
        source, [{"size": SAMPLED, "query": {"ids": {"values": list(hashes)}}}]
    )
    return [
        (hit.get("_source", {}), hashes[hit["_id"]])
        for hit in texts["hits"]["hits"]
        if hit["_id"] in hashes
    ]


def _hash(source: Mapping[str, Any], names: str) -> str | None:
    """Return the hash of a text; it equals no stored one where there is no text."""
    try:
        text = stored_text(source, names)
        return "" if text is None else content_hash(normalise(text))
    except InputError:
        return ""


class _Fields:
    """The fields of an index, with their values in a sample."""

    def __init__(self, types: Mapping[str, str], sample: Sequence[Mapping[str, Any]]) -> None:
        self._types = types
        self._values = {
            path: [value for source in sample if (value := _value(source, path)) is not None]
            for path in types
        }
        self._sample = sample
        self._least = _LEAST_SHARE * len(sample)

    def best(self, role: str, suits: Callable[[str], bool], other: str | None = None) -> str | None:
        """Return the field with the best name of those that suit, but not another one."""
        names = _NAMES[role]
        suitable = [
            (names.index(name), path)
            for path in self._types
            if (name := path.rpartition(".")[2].casefold()) in names
            if path != other and self._is_common(path) and suits(path)
        ]
        return min(suitable)[1] if suitable else None

    def title(self, text: str | None) -> str | None:
        """Return the field of the headline, which is another than that of the text."""
        return self.best("title", lambda field: self.is_short(field, _MOST_TITLE), text)

    def whole_text(self, text: str | None, title: str | None) -> str | None:
        """Return the fields of the text: headline and body.

        It is the body alone where that repeats the headline, or the headline is of another object.
        """
        if text is None or title is None or self._repeats(text, title):
            return text
        above, dot, _ = title.rpartition(".")
        return f"{title},{text}" if text.startswith(above + dot) else text

    def _repeats(self, text: str, title: str) -> bool:
        """Check whether most texts begin with their headline already."""
        pairs = [(_value(source, text), _value(source, title)) for source in self._sample]
        both = [(str(body), str(head)) for body, head in pairs if body and head]
        repeating = sum(body.lstrip().startswith(head.strip()) for body, head in both)
        return repeating > _LEAST_SHARE * len(both)

    def longest(self) -> str | None:
        """Return the field of the longest values, if these are as long as texts are."""
        long = [
            (-self._length(path), path)
            for path in self._types
            if self._is_common(path) and self.is_long(path)
        ]
        return min(long)[1] if long else None

    def is_long(self, path: str) -> bool:
        """Check whether a field has values as long as texts; without documents, its type counts."""
        if not self._values[path]:
            return self._types[path] in {"text", "match_only_text"}
        return self._types[path] in TEXT_TYPES and self._length(path) >= _LEAST_TEXT

    def is_short(self, path: str, most: int) -> bool:
        """Check whether a field has short strings."""
        if self._types[path] not in TEXT_TYPES:
            return False
        return not self._values[path] or self._length(path) <= most

    def has_links(self, path: str) -> bool:
        """Check whether a field has web addresses and nothing else."""
        values = self._values[path]
        return bool(values) and all(
            str(value).startswith(("https://", "http://")) for value in values
        )

    def _is_common(self, path: str) -> bool:
        return len(self._values[path]) >= self._least

    def _length(self, path: str) -> float:
        return median([len(str(value)) for value in self._values[path]] or [0])


def _value(source: Mapping[str, Any], path: str) -> Any:
    """Return the first value of a field; None without one."""
    return next((value for value in get_values(source, path) if value not in (None, "")), None)
