"""The searches for the background of an index, which go along with those of a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.semantics.background import Background
from es_simhash.store.background_entry import COUNTS, HEAD, background_of
from es_simhash.store.elasticsearch.state_lookup import StateLookup, entries_of

# The head, its counts, and those of backgrounds before it that are to be removed.
_MAX_ENTRIES = 10


class BackgroundLookup(StateLookup):
    """Looks up the background of an index in its state index."""

    def searches(self) -> list[dict[str, Any]]:
        """Return the search for the background; none where no index can have one."""
        if self.is_pattern or self.config.semantics is None:
            return []
        return [self.search([HEAD, COUNTS], _MAX_ENTRIES, of=[self.config.learned_field])]

    def read(self, responses: Sequence[Mapping[str, Any]]) -> Background | None:
        """Return the background; None without one.

        Raises:
            SchemeMismatch: It was counted with another semantic scheme, or by another version.
            InputError: It is not as it was written.
        """
        entries = entries_of(responses)
        head = next((entry for entry in entries if entry["kind"] == HEAD), None)
        semantics = self.config.semantics
        if head is None or semantics is None:
            return None
        counts = [entry for entry in entries if entry["kind"] == COUNTS]
        return background_of(head, counts, self.index, semantics.name)
