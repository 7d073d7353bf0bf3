"""Every pair of versions of an index, one after the other, in the memory that is allowed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain, combinations, product
from typing import Any, Literal

import numpy as np

from es_simhash.ingestion.bulk.journal_file import default_path
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.maintenance.families.find_families import require_texts, run_job
from es_simhash.maintenance.families.run_files import (
    LINK,
    LINKS,
    RunFiles,
    SpilledTexts,
    StoredDocument,
)
from es_simhash.maintenance.families.whole_run import WholeRun
from es_simhash.maintenance.listed_values import TEXTS, listed_texts
from es_simhash.relation.decided_pairs import JoinedGroups
from es_simhash.relation.references import DocumentRef
from es_simhash.relation.scoring import kept_share, version_score
from es_simhash.relation.thresholds import SCORE_DIGITS, VERSION_SCORE
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.store import opened_store
from es_simhash.store.installation.noted_pairs import family_state, standing
from es_simhash.store.installation.sidecar_source import require_own_fields
from es_simhash.store.installation.state_index import StateIndex
from es_simhash.store.protocol import Progress
from es_simhash.store.state_entries import Ids

PairKind = Literal["exact", "version", "joined"]
# Links whose documents are read together, and texts with several documents.
_LINKS, _TEXTS = 2_000, 500


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two documents that are versions of each other.

    Attributes:
        id: Id of one, the lesser of the two.
        other: Id of the other.
        kind: "exact"; "version"; or "joined", as a person joined them and nothing else does.
        score: How far they are versions, 0 to 1.
        share: Share of the shingles of one that the other has, the greater of both.
        index: Index of the first.
        other_index: Index of the other.
    """

    id: str
    other: str
    kind: PairKind
    score: float
    share: float
    index: str
    other_index: str

    @property
    def places(self) -> tuple[str, ...]:
        """Where the two documents are."""
        return self.id, self.index, self.other, self.other_index

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


PAIR_COLUMNS = tuple(each.name for each in fields(VersionPair))


def version_pairs(
    client: Client,
    index: str,
    *,
    options: FamilyOptions | None = None,
    config: IndexConfig | None = None,
    progress: Progress | None = None,
) -> Iterator[VersionPair]:
    """Yield each pair of documents that are versions; see `Index.version_pairs`.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        options: Memory and journal of the run.
        config: Names of the fields; the schemes are read from the mapping.
        progress: Called now and then, with what was read or compared.
    """
    options, given = options or FamilyOptions(), config or IndexConfig()
    gateway = Gateway.of(client)
    mapped = gateway.mappings(index)
    why = "and pairs are of the documents themselves"
    require_own_fields(mapped, index, given.simhash_field, why=why, command="pairs")
    store = opened_store(gateway, index, given, mapped)
    decided = family_state(StateIndex(gateway, index, store.config.state_field))
    threshold = store.config.versions_from
    job = {**run_job(store, "pairs"), "version_threshold": str(threshold)}
    path, fresh = options.journal or default_path(job), options.fresh
    with RunFiles.open(path, job, fresh=fresh) as files:
        # A run that had compared all, and was ended while it was read from, is of that time.
        fresh = fresh or files.progress("linked") is not None
    with RunFiles.open(path, job, fresh=fresh) as files:
        run = WholeRun(files, options, threshold, progress)
        # Whoever may only read sees what a refresh has made visible.
        with store.snapshot(must_refresh=False) as snapshot:
            run.read(FamilyReader(snapshot, None, None))
        require_texts(store, files)
        run.link(standing(decided.dismissals), standing(decided.joins))
        texts = SpilledTexts(files, options.memory << 18)
        try:
            groups = JoinedGroups(run.joined)
            # Of joined documents, those that are versions by their texts as well.
            linked: set[tuple[str, ...]] = set()
            for pair in chain(_copies(files, run.dismissed), _linked(files, texts)):
                if pair.other in groups.others(pair.id):
                    linked.add(pair.places)
                yield pair
            for pair in _joined(files, groups, texts, threshold):
                if pair.places not in linked:
                    yield pair
        finally:
            texts.close()
        files.remove()


def _copies(files: RunFiles, dismissed: Sequence[Ids]) -> Iterator[VersionPair]:
    """Yield the pairs of documents with one text."""
    apart = {frozenset(ids) for ids in dismissed}
    query = (
        "SELECT text, count(*) FROM documents WHERE text > ? GROUP BY text HAVING count(*) > 1"
        " ORDER BY text LIMIT ?"
    )
    for rows in files.pages(query, _TEXTS):
        for refs in _documents_of(files, [text for text, _ in rows]).values():
            for one, other in combinations(refs, 2):
                if not apart or frozenset((one.id, other.id)) not in apart:
                    yield _pair(one, other, "exact", 1.0, 1.0)


def _linked(files: RunFiles, texts: SpilledTexts) -> Iterator[VersionPair]:
    """Yield the pairs of documents whose texts are linked."""
    count = files.size(LINKS) // LINK.itemsize
    for start in range(0, count, _LINKS):
        links = np.fromfile(
            files.folder / LINKS, LINK, min(_LINKS, count - start), offset=start * LINK.itemsize
        )
        numbers = np.unique(np.concatenate((links["one"], links["other"]))).tolist()
        documents = _documents_of(files, numbers)
        for one, other, score in links.tolist():
            share = kept_share(texts[one], texts[other])
            for pair in product(documents[one], documents[other]):
                yield _pair(*pair, "version", score, share)


def _joined(
    files: RunFiles, joined: JoinedGroups[str], texts: SpilledTexts, threshold: float
) -> Iterator[VersionPair]:
    """Yield the pairs that a person joined, also over others, of documents with texts."""
    ids = listed_texts(sorted(joined.members))
    documents: dict[str, list[StoredDocument]] = defaultdict(list)
    for stored in files.documents(f"id IN {TEXTS} AND text IS NOT NULL", [ids]):
        documents[stored.document.ref.id].append(stored)
    for id in sorted(documents):
        others = (other for other in sorted(joined.others(id)) if id < other and other in documents)
        for one, other in product(documents[id], chain(*map(documents.__getitem__, others))):
            first, second = (texts[stored.text or 0] for stored in (one, other))
            # As `related` returns them.
            score = max(version_score(first, second, threshold), VERSION_SCORE)
            share = kept_share(first, second)
            yield _pair(one.document.ref, other.document.ref, "joined", score, share)


def _documents_of(files: RunFiles, texts: Sequence[int]) -> dict[int, list[DocumentRef]]:
    documents: dict[int, list[DocumentRef]] = defaultdict(list)
    for stored in files.documents_of_texts(texts):
        if stored.text is not None:
            documents[stored.text].append(stored.document.ref)
    return documents


def _pair(
    one: DocumentRef, other: DocumentRef, kind: PairKind, score: float, share: float
) -> VersionPair:
    first, second = sorted((one, other), key=lambda ref: (ref.id, ref.index or ""))
    score, share = round(score, SCORE_DIGITS), round(share, SCORE_DIGITS)
    indices = first.index or "", second.index or ""
    return VersionPair(first.id, second.id, kind, score, share, *indices)
