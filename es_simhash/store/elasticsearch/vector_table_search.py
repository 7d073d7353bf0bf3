"""The searches for the word vectors that were learned from an index, in its state index."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from es_simhash.errors import InputError, SchemeMismatch
from es_simhash.semantics.learned_vectors import LearnedVectors
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.calls import Calls
from es_simhash.store.elasticsearch.searches import OptionalSearch, search_all
from es_simhash.store.elasticsearch.state_lookup import StateLookup, entries_of
from es_simhash.store.vector_table_entries import HEAD, MAX_PARTS, PART, table_of


class VectorTableLookup(StateLookup):
    """Looks up the table of an index in its state index."""

    def searches(self) -> list[dict[str, Any]]:
        """Return the search for the table; none where there can be none."""
        semantics = self.config.semantics
        if self.is_pattern or semantics is None or not semantics.is_learned:
            return []
        return [self.search([HEAD, PART], MAX_PARTS, of=[self.config.learned_field])]

    def read(self, responses: Sequence[Mapping[str, Any]]) -> LearnedVectors | None:
        """Return the table; None without one.

        Raises:
            SchemeMismatch: It was learned with another semantic scheme, or by another version.
            InputError: It is not as it was written.
        """
        entries = entries_of(responses)
        head = next((entry for entry in entries if entry["kind"] == HEAD), None)
        semantics = self.config.semantics
        if head is None or semantics is None:
            return None
        parts = [entry for entry in entries if entry["kind"] == PART]
        return table_of(head, parts, self.index, semantics.name)


def with_table(index: str, config: IndexConfig) -> Calls[IndexConfig]:
    """Return a configuration with the word vectors that were learned from an index, if any.

    Args:
        index: Index that has the texts.
        config: Its configuration, or that of its sidecar.

    Raises:
        SchemeMismatch: They were learned with another semantic scheme, or by another version.
        InputError: They are not as they were written.
    """
    lookup = VectorTableLookup(index, config)
    searches = [OptionalSearch(lookup.state_index, body) for body in lookup.searches()]
    if not searches:
        return config
    responses = yield from search_all(index, [], searches)
    return replace(config, table=lookup.read(responses))


def with_usable_table(index: str, config: IndexConfig) -> Calls[IndexConfig]:
    """Return a configuration as `with_table` does, without vectors that cannot be used.

    Questions are answered without these, and count the documents that have them; what is wrong is
    said by whatever writes, and by the status of the index.
    """
    try:
        return (yield from with_table(index, config))
    except (InputError, SchemeMismatch):
        return replace(config, table=None)
