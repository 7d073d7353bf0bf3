"""The search for what is stored beside an index, which goes along with those of a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.store import background_entry, vector_table_entries
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.conditions import MAX_HITS
from es_simhash.store.elasticsearch.pages import all_hits
from es_simhash.store.elasticsearch.state_lookup import StateLookup, entries_of
from es_simhash.store.rows import IndexState
from es_simhash.store.state_entries import DISMISSAL, JOIN, PAGE, RUN, FamilyRule, ids_of

# Ids of one clause.
_IDS = 100
_NAMED = (background_entry.KIND, vector_table_entries.HEAD)
_FIELDS = ("kind", "field", "ids", "undone", "name", "options")


class IndexStateLookup(StateLookup):
    """Looks up what a person decided, the names of the background and of the vectors, and the rule
    of the last run of families.
    """

    def searches(self, ids: Sequence[str] | None) -> list[dict[str, Any]]:
        """Return the search; none for a pattern.

        Joins are read whole: they reach over other documents, and are few.

        Args:
            ids: Of the documents whose dismissals are wanted; None for all.
        """
        if self.is_pattern:
            return []
        if ids is None:
            return [self._body([DISMISSAL, JOIN, RUN, *_NAMED], [])]
        groups = [
            {"terms": {"ids": list(ids[start : start + _IDS])}}
            for start in range(0, len(ids), _IDS)
        ]
        return [self._body([JOIN, *_NAMED], groups)]

    def read(self, responses: Sequence[Mapping[str, Any]]) -> IndexState | None:
        """Return what is stored; None where the search was cut, so that `all` is needed."""
        entries = entries_of(responses)
        return None if len(entries) >= MAX_HITS else self._state(entries)

    def all(self) -> Calls[IndexState]:
        """Return all that is stored, read page by page."""
        (body,) = self.searches(None)
        del body["sort"]
        hits = yield from all_hits(self.state_index, {**body, "size": PAGE})
        return self._state([hit["_source"] for hit in hits])

    def _body(self, kinds: Sequence[str], groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the body of the search for entries of some kinds, and dismissals of documents."""
        wanted: list[Mapping[str, Any]] = [{"terms": {"kind": list(kinds)}}]
        wanted += [{"bool": {"filter": [{"term": {"kind": DISMISSAL}}, ids]}} for ids in groups]
        of = [self.config.state_field, self.config.learned_field]
        body = self.search(None, MAX_HITS, _FIELDS, of=of)
        body["query"]["bool"] |= {"should": wanted, "minimum_should_match": 1}
        return {**body, "sort": ["_doc"]}

    def _state(self, entries: Sequence[Mapping[str, Any]]) -> IndexState:
        # What was learned under the field of an earlier semantic scheme is not of this one.
        names = {
            entry["kind"]: entry.get("name")
            for entry in entries
            if entry["kind"] in _NAMED and entry["field"] == self.config.learned_field
        }
        background, vectors = map(names.get, _NAMED)
        runs = (
            entry["options"]
            for entry in entries
            if entry["kind"] == RUN and entry["field"] == self.config.state_field
        )
        return IndexState(
            _pairs(entries), background, vectors, next(map(FamilyRule.of_run, runs), None)
        )


def _pairs(entries: Sequence[Mapping[str, Any]]) -> ManualPairs:
    decided = [entry for entry in entries if entry["kind"] in (DISMISSAL, JOIN)]
    standing = [entry for entry in decided if not entry["undone"]]
    dismissed = {ids_of(entry) for entry in standing if entry["kind"] == DISMISSAL}
    return ManualPairs.of(dismissed, {ids_of(entry) for entry in standing if entry["kind"] == JOIN})
