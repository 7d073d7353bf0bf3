"""An exact index in memory: the oracle for what the cluster answers, and good for small data."""

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.questions.index_steps import IndexSteps, StoreIndex
from es_simhash.semantics.background import Background
from es_simhash.store.config import IndexConfig
from es_simhash.store.memory import MemoryStore
from es_simhash.store.options import SearchOptions


class MemoryIndex(StoreIndex):
    """Texts in memory, every one of them compared with each query.

    It answers what an index of the cluster does that holds the same texts and cuts nothing.
    Filters, dates and families are rejected (`InputError`): only a cluster has them.

    Args:
        config: Schemes of the fingerprints and of the semantic profiles, without which versions
            alone are found; and where versions begin.
    """

    def __init__(self, config: IndexConfig | None = None) -> None:
        self._texts = MemoryStore(config or IndexConfig())
        self.store = self._texts
        self._steps = IndexSteps()

    @property
    def scheme(self) -> Scheme:
        """Scheme of the fingerprints."""
        return self._texts.config.scheme

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def background(self) -> Background | None:
        """How common words and names are; None for general word frequencies alone.

        Set to that of an index, it makes scores those of this index.
        """
        return self._texts.background

    @background.setter
    def background(self, background: Background | None) -> None:
        self._texts.background = background

    def add(self, id: str, text: str) -> None:
        """Keep a text under an id, in place of what was there.

        Raises:
            InputError: The text has more than 16 MiB or 20,000 chunks.
        """
        self._texts.add(id, text)

    def _answerable(self, options: SearchOptions | None) -> SearchOptions | None:
        """Return options, unless they need an engine.

        Raises:
            InputError: There are filters, or an order by date or a choice of families.
        """
        if options is None:
            return None
        if options.filters:
            raise InputError(
                "filters need a cluster: an index in memory cannot run Elasticsearch queries.",
                parameter="filters",
            )
        if options.sorts_by_date or options.family != "any":
            raise InputError(
                "An index in memory has neither dates nor families. Sort by score, and set no "
                "family.",
                parameter="sort",
            )
        return options
