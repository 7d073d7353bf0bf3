"""An index that a user's own program writes to, knowing nothing of fingerprints."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import Desk
from tests.support.new_index import new_index


class SweptIndex(Desk):
    """An index that is written to by a plain client and swept."""

    def store(self, texts: Mapping[str, str], **fields: Any) -> None:
        """Write documents one after the other, whole, as a program without fingerprints does."""
        for id, content in texts.items():
            self.client.index(index=self.name, id=id, document={"text": content, **fields})

    def sweep(self, action: Any = None, **rules: Any) -> Any:
        """Sweep with an action, or without any."""
        from es_simhash.ingestion.deduplication.version_rules import OnVersion
        from es_simhash.maintenance.sweeps.sweep import SweepSettings, sweep

        # What removals may lose has tests of its own (test_lost_texts.py).
        rules = {"audit": self.audit, "lose": 1, **rules}
        chosen = OnVersion(action, **rules) if action else None
        return sweep(self.client, self.name, on_version=chosen, settings=SweepSettings(processes=1))

    def families(self) -> dict[str, str | None]:
        """Return the family of each document."""
        return {
            id: source.get("simhash", {}).get("family") for id, source in self.sources().items()
        }

    def duplicates(self) -> dict[str, str]:
        """Return what each flagged document is a duplicate of."""
        return {
            id: marks["duplicate_of"]
            for id, marks in self.marks().items()
            if "duplicate_of" in marks
        }


@pytest.fixture
def swept_index(client: Any, index_name: str, tmp_path: Path) -> SweptIndex:
    """An index with our fields and no documents."""
    new_index(client, index_name, semantics=None)
    return SweptIndex(client, index_name, tmp_path)
