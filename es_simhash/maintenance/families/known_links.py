"""Links between texts that the last run has compared: what it left of them saves searches.

Texts with links to each other are of families of one component (`family_components`). Which those
are is known, so that all of them are read and compared with each other alone, as a run over all
documents compares them, and not with what an index has that is like them by chance.
"""

from collections.abc import Collection, Iterable

from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.pairs.merging import Pair
from es_simhash.store.installation.family_components import Component, FamilyComponents


class KnownTexts:
    """The texts whose links to each other the last run has found.

    Args:
        corpus: The texts of the run.
        reader: Reads the index.
        components: What the last run left.
        touched: Families of documents that were written since; None where that is unknown, and no
            links are.
    """

    def __init__(
        self,
        corpus: Corpus,
        reader: FamilyReader,
        components: FamilyComponents,
        touched: Collection[str] | None,
    ) -> None:
        self._corpus = corpus
        self._reader = reader
        self._components = components
        self._touched = touched
        self._read: set[str] = set()
        # Families whose links are stored, and those whose links are not.
        self._listed: set[str] = set()
        self._unlisted: set[str] = set()
        self._links: dict[Pair[str], float] = {}

    def connected(self, texts: Iterable[str]) -> set[str]:
        """Read the texts that may be connected with any of these; return those not among them.

        Args:
            texts: Hashes of texts, all of whose documents were read.
        """
        if self._touched is None:
            return set()
        texts = set(texts)
        new = self._families(texts)
        found: set[str] = set()
        while new:
            stored = self._components.of(new).values()
            for component in stored:
                self._add(component)
            families = sorted(new.union(*(each.names for each in stored)) - self._read)
            self._read.update(families)
            found.update(self._corpus.add(self._reader.of_families(families)))
            new = self._families(found)
        return found - texts

    def _families(self, texts: Iterable[str]) -> set[str]:
        """Return the families of texts that were not read yet."""
        return {name for text in texts for name in self._corpus.families_of(text)} - self._read

    def _add(self, component: Component) -> None:
        if component.links is None:
            self._unlisted.update(component.names)
        else:
            self._listed.update(component.names)
            self._links.update(component.links)

    def stored_links(self, texts: Collection[str]) -> dict[Pair[str], float]:
        """Return the links among known texts that are stored.

        Args:
            texts: Hashes of the texts, as `is_known` says.
        """
        links = self._links.items()
        return {pair: score for pair, score in links if pair[0] in texts and pair[1] in texts}

    def has_stored_links(self, text: str) -> bool:
        """Check whether all links of a known text with others are stored."""
        families = self._corpus.families_of(text)
        return families <= self._listed and families.isdisjoint(self._unlisted)

    def is_known(self, text: str) -> bool:
        """Check whether the last run has compared a text with all that is stored since then."""
        families = self._corpus.families_of(text)
        return self._touched is not None and bool(families) and families.isdisjoint(self._touched)
