"""The searches for the background of an index, which go along with those of a question."""

from collections.abc import Mapping, Sequence
from typing import Any

from es_simhash.semantics.background import Background
from es_simhash.store.background_entry import KIND, background_of
from es_simhash.store.elasticsearch.state_lookup import StateLookup, entries_of


class BackgroundLookup(StateLookup):
    """Looks up the background of an index in its state index."""

    def searches(self, fields: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return the search for the background; none where no index can have one.

        Args:
            fields: What is read of it; None for all.
        """
        if self.is_pattern or self.config.semantics is None:
            return []
        return [self.search([KIND], 1, fields)]

    def name(self, responses: Sequence[Mapping[str, Any]]) -> str | None:
        """Return the name of the background; None without one."""
        entry = _entry(responses)
        return None if entry is None else entry.get("name")

    def read(self, responses: Sequence[Mapping[str, Any]]) -> Background | None:
        """Return the background; None without one.

        Raises:
            SchemeMismatch: It was counted with another semantic scheme, or by another version.
            InputError: It is not as it was written.
        """
        entry, semantics = _entry(responses), self.config.semantics
        if entry is None or semantics is None:
            return None
        return background_of(entry, self.index, semantics.name)


def _entry(responses: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next(iter(entries_of(responses)), None)
