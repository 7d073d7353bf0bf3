"""An index whose documents are decided as they are written."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import made_up_texts
from tests.support.new_index import new_index


@pytest.fixture
def make_text() -> Callable[..., str]:
    """Make a text by its seed and number of words."""
    return made_up_texts.make_text


@pytest.fixture
def revise() -> Callable[..., str]:
    """Make a version of a text."""
    return made_up_texts.revise


class Desk:
    """An index, what the tests write to it, and what it has then."""

    def __init__(self, client: Any, name: str, folder: Path) -> None:
        self.client = client
        self.name = name
        self.audit = folder / "audit.jsonl"

    def write(
        self,
        documents: Iterable[Mapping[str, Any]],
        action: Any = "flag",
        *,
        batch: int = 1000,
        processes: int = 1,
        **rules: Any,
    ) -> dict[str, str]:
        """Ingest documents; give the status of each."""
        from es_simhash.ingestion.bulk.document_batches import BatchLimits
        from es_simhash.ingestion.deduplication.version_rules import OnVersion
        from es_simhash.ingestion.ingest import ingest
        from es_simhash.ingestion.ingest_settings import IngestSettings
        from es_simhash.store.elasticsearch.retry import RetryPolicy

        settings = IngestSettings(
            processes=processes,
            limits=BatchLimits(documents=batch),
            retry=RetryPolicy(initial_delay=0.01, max_delay=0.05, max_elapsed=5),
        )
        # What removals may lose has tests of its own (test_lost_texts.py).
        chosen = OnVersion(action, **{"audit": self.audit, "lose": 1, **rules})
        outcomes = ingest(self.client, self.name, documents, on_version=chosen, settings=settings)
        return {str(each.id): each.status for each in outcomes}

    def write_killed(
        self, documents: Iterable[Mapping[str, Any]], action: Any, **rules: Any
    ) -> None:
        """Ingest documents in a run that is killed before it deletes what they replace."""
        from es_simhash.ingestion.deduplication import version_policy

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(version_policy, "delete_replaced", killed)
            with pytest.raises(KeyboardInterrupt):
                self.write(documents, action, **rules)

    def put(self, documents: Iterable[Mapping[str, Any]]) -> None:
        """Ingest documents without looking for versions, and refresh."""
        from es_simhash.ingestion.ingest import ingest

        outcomes = list(ingest(self.client, self.name, documents))
        assert all(each.ok for each in outcomes)
        self.client.indices.refresh(index=self.name)

    def documents(self) -> dict[str, dict[str, Any]]:
        """Return all documents by id, without our object."""
        return {
            id: {name: value for name, value in source.items() if name != "simhash"}
            for id, source in self.sources().items()
        }

    def sources(self) -> dict[str, dict[str, Any]]:
        """Return all documents by id."""
        self.client.indices.refresh(index=self.name)
        hits = self.client.search(index=self.name, size=1000)["hits"]["hits"]
        return {hit["_id"]: hit["_source"] for hit in hits}

    def marks(self) -> dict[str, dict[str, Any]]:
        """Return the marks of all documents by id; null is none."""
        names = ("duplicate_of", "duplicate_score", "family")
        return {
            id: {n: source["simhash"][n] for n in names if source["simhash"].get(n) is not None}
            for id, source in self.sources().items()
        }

    def records(self) -> list[dict[str, Any]]:
        """Return what the audit log tells."""
        from es_simhash.ingestion.deduplication.audit_log import audit_of

        return [dict(each.head) for each in audit_of(self.audit, self.client).read()]

    def undo(self, **choice: Any) -> Any:
        """Take back what was decided."""
        from es_simhash.ingestion.undo import undo

        return undo(self.client, self.name, self.audit, **choice)


@pytest.fixture
def desk(client: Any, index_name: str, tmp_path: Path) -> Desk:
    """An index without documents."""
    new_index(client, index_name, semantics=None)
    return Desk(client, index_name, tmp_path)
