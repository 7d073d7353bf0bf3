"""Protocols of the answers that the explorer uses."""

from collections.abc import Sequence
from typing import Any, Protocol

from es_simhash.differences.difference import Changes
from es_simhash.differences.version_timeline import Timeline
from es_simhash.questions.protocol import RelatedIndex
from es_simhash.relation.family_history import FamilyHistory
from es_simhash.service.operations import Filters, Question, Shown
from es_simhash.store.config import IndexConfig
from es_simhash.store.dates import DateField
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.options import Query
from es_simhash.store.protocol import Store


class ServedDocuments(Protocol):
    """Where the documents are."""

    @property
    def gateway(self) -> Gateway:
        """To the cluster."""

    @property
    def store(self) -> Store:
        """The index as a store."""

    @property
    def index(self) -> str:
        """Name of the index."""

    @property
    def date_field(self) -> DateField | None:
        """The date field; None without one."""


class ServedIndex(RelatedIndex, Protocol):
    """Finds related documents, compares them and knows their families."""

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one document to another."""

    def timeline(self, id_a: str, id_b: str, *, filters: Sequence[Query] = ()) -> Timeline | None:
        """Return the family of two documents in order of the dates."""

    def family(
        self,
        id: str,
        *,
        date_field: str | None = None,
        newer_than: str | None = None,
        filters: Sequence[Query] = (),
    ) -> FamilyHistory:
        """Return the family of a document, or that of a name."""


class ServedAnswers(Protocol):
    """Answers from an index, of documents that match filters, with allowed fields alone."""

    @property
    def index(self) -> ServedIndex:
        """The index."""

    @property
    def documents(self) -> ServedDocuments:
        """Its documents."""

    @property
    def config(self) -> IndexConfig:
        """Its configuration."""

    @property
    def evidence(self) -> bool:
        """Whether passages, and what texts have in common, may leave."""

    def allows(self, field: str) -> bool:
        """Check whether a field may leave."""

    def document(self, question: Question) -> Shown:
        """Return the allowed fields of a document."""

    def contexts(self, ids: Sequence[str], filters: Filters) -> dict[str, dict[str, Any]]:
        """Return the allowed context of documents; those that do not match are left out."""
