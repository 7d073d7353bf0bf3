"""Links between texts that the last run has compared: what it left of them saves searches.

Texts with links to each other are of families of one component (`family_components`). Which those
are is known, so that all of them are read and compared with each other alone, as a run over all
documents compares them, and not with what an index has that is like them by chance.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import FamilyReader, ReadDocument
from es_simhash.maintenance.families.run_files import RunFiles
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.pairs.merging import Pair
from es_simhash.relation.scoring import min_shared
from es_simhash.store.installation.family_components import Component, FamilyComponents
from es_simhash.store.protocol import Progress
from es_simhash.store.rows import batches_of

# Texts that are read together.
_TEXTS = 500


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


@dataclass(frozen=True)
class FoundLinks:
    """The links among some texts.

    Attributes:
        scores: Scores of the pairs that are linked, by the hashes of their texts.
        truncated: Hashes of the texts with more candidates than were compared.
    """

    scores: dict[Pair[str], float]
    truncated: set[str]


def links_among(
    texts: Sequence[str],
    corpus: Corpus,
    threshold: float,
    memory: int,
    progress: Progress | None = None,
) -> FoundLinks:
    """Return the links among texts, as a run over all documents finds them.

    Args:
        texts: Hashes of the texts.
        corpus: Has them.
        threshold: Where versions begin in the index.
        memory: MiB for what is compared.
        progress: Called now and then.
    """
    with (
        TemporaryDirectory(prefix="es-simhash-") as folder,
        RunFiles.open(Path(folder) / "links", {}) as files,
    ):
        for batch in batches_of(_documents(texts, corpus), _TEXTS):
            files.add(batch, min_shared)
        run = WholeRun(files, FamilyOptions(memory=memory), threshold, progress)
        run.link((), ())
        scores = run.scores()
        query = "SELECT hash FROM truncated JOIN texts ON text = number"
        truncated = {hash for (hash,) in files.select(query)}
    return FoundLinks(scores, truncated)


def _documents(texts: Sequence[str], corpus: Corpus) -> Iterator[ReadDocument]:
    """Yield a document of each text."""
    for some in batches_of(texts, _TEXTS):
        corpus.load(some)
        for text in some:
            document = corpus.documents[corpus.copies[text][0]]
            yield ReadDocument(document, corpus[text], is_current=True)
        corpus.trim()
