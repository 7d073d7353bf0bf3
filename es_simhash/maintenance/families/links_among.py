"""Links among some texts, as a run over all documents finds them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from es_simhash.maintenance.families.family_corpus import Corpus
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import ReadDocument
from es_simhash.maintenance.families.link_graph import FoundLinks
from es_simhash.maintenance.families.run_files import RunFiles
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.relation.scoring import min_shared
from es_simhash.store.protocol import Progress
from es_simhash.store.rows import batches_of

# Texts that are read together.
_TEXTS = 500


def links_among(
    texts: Sequence[str],
    progress: Progress | None = None,
    *,
    corpus: Corpus,
    threshold: float,
    memory: int,
) -> FoundLinks:
    """Return the links among texts; with what is given by name, a `link_graph.LinksAmong`.

    Args:
        texts: Hashes of the texts.
        progress: Called now and then.
        corpus: Has them.
        threshold: Where versions begin in the index.
        memory: MiB for what is compared.
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
