"""An exact index in memory: the oracle for what the cluster answers, and good for small data."""

from collections.abc import Iterator, Sequence

from es_simhash.differences.difference import Changes
from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.questions.index_steps import IndexSteps
from es_simhash.questions.paging import pages_of
from es_simhash.relation.answer import Answer
from es_simhash.relation.relation import Relation
from es_simhash.store.config import IndexConfig
from es_simhash.store.memory import MemoryStore
from es_simhash.store.options import SearchOptions
from es_simhash.store.protocol import run


class MemoryIndex:
    """Texts in memory, every one of them compared with each query.

    It answers what an index of the cluster does that holds the same texts and cuts nothing.

    Args:
        config: Schemes of the fingerprints and of the semantic profiles, without which versions
            alone are found; and where versions begin.
    """

    def __init__(self, config: IndexConfig | None = None) -> None:
        self.store = MemoryStore(config or IndexConfig())
        self._steps = IndexSteps()

    @property
    def scheme(self) -> Scheme:
        """Scheme of the fingerprints."""
        return self.store.config.scheme

    def __len__(self) -> int:
        return len(self.store)

    def add(self, id: str, text: str) -> None:
        """Keep a text under an id, in place of what was there.

        Raises:
            InputError: The text has more than 16 MiB or 20,000 chunks.
        """
        self.store.add(id, text)

    def related(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Answer:
        """Return the texts related to a kept one or to any text, best first.

        Raises:
            DocumentMissing: There is no text of that id.
            InputError: Both or neither of id and text are given, or filters, dates or families,
                which only a cluster has.
        """
        _require_answerable(options)
        return run(self._steps.related(id, text, options), self.store)

    def related_to_each(
        self, ids: Sequence[str], *, options: SearchOptions | None = None
    ) -> dict[str, Answer]:
        """Return what is related to each of many kept texts, by their ids.

        Raises:
            DocumentMissing: One of the ids is not there.
        """
        _require_answerable(options)
        return run(self._steps.related_to_each(ids, options), self.store)

    def pages(
        self,
        *,
        id: str | None = None,
        text: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[Answer]:
        """Return all that is related, in pages of `size`, from the offset of the options on."""
        return pages_of(self, id, text, options)

    def explain(self, id_a: str, id_b: str) -> Relation:
        """Return the relation of two kept texts, whatever its score, with all its evidence.

        Raises:
            DocumentMissing: One of the ids is not there.
        """
        return run(self._steps.explain(id_a, id_b), self.store)

    def changes(self, id_a: str, id_b: str) -> Changes:
        """Return what changed from one kept text to another.

        Raises:
            DocumentMissing: One of the ids is not there.
        """
        return run(self._steps.changes(id_a, id_b), self.store)


def _require_answerable(options: SearchOptions | None) -> None:
    """Reject options that need an engine.

    Raises:
        InputError: There are filters, or an order by date or a choice of families.
    """
    if options is None:
        return
    if options.filters:
        raise InputError(
            "filters need a cluster: an index in memory cannot run Elasticsearch queries.",
            parameter="filters",
        )
    if options.sorts_by_date or options.family != "any":
        raise InputError(
            "An index in memory has neither dates nor families. Sort by score, and set no family.",
            parameter="sort",
        )
