"""Searches by words: the documents that match, one of each family, and the ungrouped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from es_simhash.service.explorer.api import ServedAnswers
from es_simhash.service.explorer.page_contents import Entry, EntryPage
from es_simhash.service.explorer.page_parameters import MAX_QUERY, PAGE
from es_simhash.service.operations import Filters
from es_simhash.service.responses import Problem
from es_simhash.store import fields
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.intents import MeasureFamilies, Where
from es_simhash.store.mapped_fields import TEXT_TYPES, fields_named
from es_simhash.store.options import Query
from es_simhash.store.protocol import ask, run

# No wildcards within words and no fuzziness: what a query costs stays bounded.
_FLAGS = "AND|OR|NOT|PHRASE|PRECEDENCE|PREFIX|WHITESPACE|ESCAPE"
# Private characters around what matches; where a text has them itself, more is marked.
_START, _END = "\ue000", "\ue001"
_EXCERPT = 220
# Characters of a text that are looked at for an excerpt.
_ANALYSED = 200_000


def words_query(words: str, title: str | None, texts: Sequence[str]) -> dict[str, Any]:
    """Return the query for words, quotes, `+`, `|`, `-`, brackets and `*` at the end of a word.

    Args:
        words: Query as the user typed it.
        title: Field of the title, which counts more; None for none.
        texts: Fields of the text.
    """
    fields = [*([] if title is None else [f"{title}^3"]), *texts]
    return {
        "simple_query_string": {
            "query": words[:MAX_QUERY],
            "fields": fields,
            "default_operator": "and",
            "flags": _FLAGS,
            "lenient": True,
        }
    }


def grouped_bodies(query: Query, filters: Sequence[Query], family: str, page: int) -> list[Any]:
    """Return two searches: of the families, the best document of each, and of what has none.

    `collapse` would take all documents without a family for one.

    Args:
        query: That documents match.
        filters: That they must match as well.
        family: Field of the names of families.
        page: Up to which hits are needed.
    """
    has_family = {"exists": {"field": family}}
    common = {"size": page * PAGE + 1, "_source": False, "track_total_hits": True}
    grouped = {"must": query, "filter": [has_family, *filters]}
    single = {"must": query, "filter": [*filters], "must_not": [has_family]}
    return [
        {
            **common,
            "query": {"bool": grouped},
            "collapse": {"field": family},
            "docvalue_fields": [family],
        },
        {**common, "query": {"bool": single}},
    ]


def excerpts_body(
    query: Query, ids: Sequence[str], filters: Sequence[Query], texts: Sequence[str]
) -> dict[str, Any]:
    """Return the search for the stretch of each text that matches best."""
    shown = {
        "fragment_size": _EXCERPT,
        "number_of_fragments": 1,
        "no_match_size": _EXCERPT,
        "max_analyzed_offset": _ANALYSED,
        "pre_tags": [_START],
        "post_tags": [_END],
        "fields": {field: {} for field in texts},
    }
    return {
        "size": 2 * len(ids),
        "query": {"bool": {"must": query, "filter": [{"ids": {"values": list(ids)}}, *filters]}},
        "_source": False,
        "track_total_hits": False,
        "highlight": shown,
    }


def excerpt_of(hit: Mapping[str, Any]) -> tuple[tuple[str, bool], ...]:
    """Return the excerpt of a hit in pieces, each with whether it matches; empty for none."""
    found = next((each[0] for each in hit.get("highlight", {}).values() if each), "")
    pieces: list[tuple[str, bool]] = []
    is_match = False
    for piece in found.replace(_END, _START).split(_START):
        if piece:
            pieces.append((" ".join(f"|{piece}|".split())[1:-1], is_match))
        is_match = not is_match
    return tuple(pieces)


@dataclass(frozen=True)
class WordSearch:
    """Searches an index by words.

    Attributes:
        answers: Answers of the service, which know what may leave it.
    """

    answers: ServedAnswers

    def can_search(self) -> bool:
        """Check whether there is a field in which words may be searched."""
        title, texts = self._fields()
        return bool(title or texts)

    def search(self, words: str, page: int, filters: Filters) -> EntryPage:
        """Return the documents that a query of words finds, one of each family, best first.

        Raises:
            Problem: 400, when the engine cannot take the query.
        """
        title, texts = self._fields()
        query = words_query(words, title, texts)
        bodies = grouped_bodies(query, filters, self._family, page)
        try:
            grouped, single = self._search(*bodies)
        except RequestRejected as error:
            if error.status != 400:
                raise
            raise Problem(400, "This query has too many or too long words.") from error
        hits = [*grouped["hits"]["hits"], *single["hits"]["hits"]]
        hits.sort(key=lambda hit: -(hit["_score"] or 0))
        shown = hits[(page - 1) * PAGE : page * PAGE]
        names = {hit["_id"]: self._family_of(hit) for hit in shown}
        sizes = self.family_sizes([name for name in names.values() if name], filters)
        excerpts = (
            self._excerpts(excerpts_body(query, list(names), filters, texts)) if texts else {}
        )
        contexts = self.answers.contexts(list(names), filters) if names else {}
        entries = tuple(
            Entry(id, contexts[id], max(0, sizes.get(name or "", 1) - 1), excerpts.get(id, ()))
            for id, name in names.items()
            if id in contexts
        )
        total = sum(each["hits"]["total"]["value"] for each in (grouped, single))
        return EntryPage(entries, total, len(hits) > page * PAGE)

    def ungrouped(self, page: int, filters: Filters) -> EntryPage:
        """Return the documents without a family."""
        body = {
            "from": (page - 1) * PAGE,
            "size": PAGE + 1,
            "query": {
                "bool": {"filter": [*filters], "must_not": [{"exists": {"field": self._family}}]}
            },
            "_source": False,
            "track_total_hits": True,
        }
        (found,) = self._search(body)
        ids = [hit["_id"] for hit in found["hits"]["hits"]]
        contexts = self.answers.contexts(ids[:PAGE], filters) if ids else {}
        entries = tuple(Entry(id, contexts[id]) for id in ids[:PAGE] if id in contexts)
        return EntryPage(entries, found["hits"]["total"]["value"], len(ids) > PAGE)

    def _search(self, *bodies: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        documents = self.answers.documents
        return documents.gateway.search_all(documents.index, bodies)

    @property
    def _family(self) -> str:
        return self.answers.config.path(fields.FAMILY)

    def _fields(self) -> tuple[str | None, list[str]]:
        """Return the fields of title and text that may be searched, as the mapping has them now.

        Whoever searches a field learns what is in it: that of the title must be allowed, those of
        the text unless passages of them may be shown anyway.
        """
        answers = self.answers
        mappings = answers.documents.gateway.mappings(answers.documents.index)

        def is_searchable(name: str) -> bool:
            types = {each.type for each in fields_named(name, mappings).values()}
            return bool(types) and types <= {*TEXT_TYPES, "keyword"}

        title = answers.config.documents.title
        if title is not None and not (answers.allows(title) and is_searchable(title)):
            title = None
        texts = [
            name
            for name in answers.config.text_fields
            if (answers.evidence or answers.allows(name)) and is_searchable(name)
        ]
        return title, texts

    def _family_of(self, hit: Mapping[str, Any]) -> str | None:
        values = hit.get("fields", {}).get(self._family)
        return str(values[0]) if values else None

    def family_sizes(self, names: Sequence[str], filters: Filters) -> dict[str, int]:
        """Return how many documents families have."""
        if not names:
            return {}
        request = MeasureFamilies(tuple(names), Where(tuple(filters)))
        spans = run(ask(request), self.answers.documents.store)
        return {name: span.documents for name, span in spans.items()}

    def _excerpts(self, body: Mapping[str, Any]) -> dict[str, tuple[tuple[str, bool], ...]]:
        (found,) = self._search(body)
        return {hit["_id"]: excerpt_of(hit) for hit in found["hits"]["hits"]}
