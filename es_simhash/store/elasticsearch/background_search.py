"""The searches for the background of an index, which go along with those of a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.semantics.background import Background
from es_simhash.store.background_entry import KIND, background_of
from es_simhash.store.elasticsearch.state_lookup import StateLookup, entries_of


class BackgroundLookup(StateLookup):
    """Looks up the background of an index in its state index."""

    def searches(self) -> list[dict[str, Any]]:
        """Return the search for the background; none where no index can have one."""
        if self.is_pattern or self.config.semantics is None:
            return []
        return [self.search([KIND], 1, of=[self.config.learned_field])]

    def read(self, responses: Sequence[Mapping[str, Any]]) -> Background | None:
        """Return the background; None without one.

        Raises:
            SchemeMismatch: It was counted with another semantic scheme, or by another version.
            InputError: It is not as it was written.
        """
        entry = next(iter(entries_of(responses)), None)
        semantics = self.config.semantics
        if entry is None or semantics is None:
            return None
        return background_of(entry, self.index, semantics.name)
