"""The state index INDEX-simhash: sizes of families, sweep checkpoints, and what other modules keep.

None of it can be stored in the documents themselves, which are replaced as a whole when they are
written again; and that a document left its family shows only in what is stored elsewhere.
What a person decided about pairs is read and written by `noted_pairs`, families that are linked by
`family_components`, reservations by `reserved_texts`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from es_simhash.errors import ClusterError, IndexMissing, InputError
from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.pairs.family_counts import FamilyCounts
from es_simhash.semantics.learned_vectors import LearnedVectors
from es_simhash.store import resources
from es_simhash.store.background_entry import KIND
from es_simhash.store.elasticsearch.answer_shapes import faults
from es_simhash.store.elasticsearch.bulk import CONFLICT
from es_simhash.store.elasticsearch.errors import reason_of
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.rows import batches_of
from es_simhash.store.state_entries import PAGE, state_index_name
from es_simhash.store.vector_table_entries import HEAD, PART, head_of, parts_of

# Kind of the entry with the counts of all families.
COUNTS = "counts"
# Kind of the entries of families whose texts are linked.
COMPONENT = "component"
# Version of the entries: another reads none of them.
VERSION = 1
_TWO = ("a", "b")
_PAIR: Mapping[str, Any] = {"ids": [str], "undone": bool, "pending": bool}
_WRITES: Mapping[str, Any] = {"shards": [str], "seq_nos": [int]}
# What the entries of each kind have.
_ENTRIES: Mapping[str, Mapping[str, Any]] = {
    "dismissal": _PAIR,
    "join": _PAIR,
    "undone": {"ids": [str], "run": str},
    "run": {"options": str},
    "sweep": {"options": str, "deciding": bool, "ended?": [list], "undecided?": [str], **_WRITES},
    "family": {"family": str, "documents": int},
    COMPONENT: {"family": [str], "links?": str},
    COUNTS: {"counts": str, "scheme?": str, **_WRITES},
}
# Beginnings of names in one query, and characters of the values of entries in one request.
_PREFIXES, _CHARACTERS = 250, 20_000_000
# An index that another run has just made cannot be searched until its shards have started.
_STARTS = RetryPolicy(initial_delay=0.1, max_delay=1.0, max_elapsed=10.0)


@dataclass(frozen=True)
class SweepCheckpoint:
    """Where the next sweep begins.

    Attributes:
        seq_nos: Sequence number of the last write that was processed, by the name of the shard.
        deciding: True when the last sweep began to decide and did not end.
        ended: Sequence number of the last write when the last sweep ended, by the name of the
            shard: its own writes are no higher.
        undecided: Ids of documents that the last sweep left to the next.
    """

    seq_nos: Mapping[str, int] = field(default_factory=dict)
    deciding: bool = False
    ended: Mapping[str, int] = field(default_factory=dict)
    undecided: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LeftFamilies:
    """What the last run over the families of an index left.

    Attributes:
        counts: How many documents the families have, by the first digits of their names.
        seq_nos: Number of the last write that it has seen, by the name of the shard.
        scheme: Scheme by which the last run over everything has compared all texts; None where
            that is unknown, as in what earlier releases left.
    """

    counts: FamilyCounts
    seq_nos: Mapping[str, int]
    scheme: str | None

    @classmethod
    def of(cls, entries: Iterable[Mapping[str, Any]]) -> "LeftFamilies | None":
        """Return that among entries; None when there is none."""
        for entry in entries:
            if entry["kind"] == COUNTS:
                seq_nos = dict(zip(entry["shards"], entry["seq_nos"], strict=True))
                return cls(FamilyCounts.decoded(entry["counts"]), seq_nos, entry.get("scheme"))
        return None


class StateIndex:
    """The state index of one of the user's indices; the constructor sends nothing.

    Args:
        client: Client of the cluster.
        index: The user's index, alias or data stream.
        field: Field of the fingerprints in it.

    Attributes:
        name: Of the state index.
        field: That field.
        gateway: Sends the requests.

    Raises:
        InputError: The name is a pattern or a list of names.
    """

    def __init__(self, client: Client, index: str, field: str) -> None:
        if any(sign in index for sign in "*,"):
            raise InputError(
                f"{index!r} names several indices. Give one index, alias or data stream."
            )
        self.name = state_index_name(index)
        self.gateway = Gateway.of(client)
        self._started = self.gateway if self.gateway.retry else Gateway.of(client, _STARTS)
        self.field = field

    def run_entry(self, options: str) -> list[dict[str, Any]]:
        """Return the action that stores the options of a run of families."""
        id = digest_of_key("run", self.field)
        return self.entry(id, {"kind": "run", "options": options})

    def last_sweep(self, options: str) -> SweepCheckpoint:
        """Return the checkpoint of the last sweep; without numbers if its options differ."""
        for entry in self.entries("sweep"):
            seq_nos = dict(zip(entry["shards"], entry["seq_nos"], strict=True))
            known = seq_nos if entry["options"] == options else {}
            # Earlier versions stored neither.
            ended = dict(entry.get("ended", ()))
            undecided = frozenset(entry.get("undecided", ()))
            return SweepCheckpoint(known, entry["deciding"], ended, undecided)
        return SweepCheckpoint()

    def write_sweep(self, options: str, checkpoint: SweepCheckpoint) -> None:
        """Store the checkpoint of a sweep with these options."""
        entry = {
            "kind": "sweep",
            "options": options,
            "shards": list(checkpoint.seq_nos),
            "seq_nos": list(checkpoint.seq_nos.values()),
            "deciding": checkpoint.deciding,
            "ended": [list(shard) for shard in checkpoint.ended.items()],
            "undecided": sorted(checkpoint.undecided),
        }
        self.write([self.entry(digest_of_key("sweep", self.field), entry)])

    def background(self) -> Mapping[str, Any] | None:
        """Return the entry of the background; None without one."""
        return next(self.entries(KIND), None)

    def write_background(self, entry: Mapping[str, Any] | None) -> None:
        """Store the background in place of any other; None removes it."""
        id = digest_of_key(KIND, self.field)
        if entry is not None:
            self.write([self.entry(id, entry)])
        elif self.background() is not None:
            self.write([self.removal(id)])

    def table_head(self) -> Mapping[str, Any] | None:
        """Return the entry that names the word vectors learned from the index; None without any."""
        return next(self.entries(HEAD), None)

    def write_table(self, table: LearnedVectors) -> None:
        """Store word vectors in place of any other; who reads meanwhile reads one of the two."""
        ids = [
            digest_of_key(PART, self.field, table.name, str(number))
            for number in range(len(parts_of(table)))
        ]
        before = {hit["_id"] for hit in self.hits(PART)}
        self.write(
            [self.entry(id, part) for id, part in zip(ids, parts_of(table), strict=True)]
            + [self.entry(digest_of_key(HEAD, self.field), head_of(table))]
        )
        self.write([self.removal(id) for id in sorted(before.difference(ids))])

    def remove_table(self) -> None:
        """Remove the word vectors."""
        self.write([self.removal(hit["_id"]) for hit in self.hits(HEAD, PART)])

    def counts_entry(self, left: LeftFamilies) -> list[dict[str, Any]]:
        """Return the action that stores what a run over the families has left."""
        entry = {
            "kind": COUNTS,
            "counts": left.counts.encoded(),
            "shards": list(left.seq_nos),
            "seq_nos": list(left.seq_nos.values()),
        }
        scheme = {} if left.scheme is None else {"scheme": left.scheme}
        return self.entry(digest_of_key(COUNTS, self.field), {**entry, **scheme})

    def sizes(self, prefixes: Iterable[str] | None = None) -> dict[str, int]:
        """Return the number of documents of each family that has several.

        Args:
            prefixes: Of those whose names begin with one of these; None for all.
        """
        if prefixes is None:
            return _sizes_of(self.hits("family"))
        sizes: dict[str, int] = {}
        for some in batches_of(sorted(prefixes), _PREFIXES):
            query = [{"prefix": {"family": prefix}} for prefix in some]
            sizes |= _sizes_of(self.hits("family", where={"bool": {"should": query}}))
        return sizes

    def sizes_of(self, names: Iterable[str]) -> dict[str, int]:
        """Return the number of documents of those of these families that have several."""
        sizes: dict[str, int] = {}
        for some in batches_of(sorted(names), PAGE):
            sizes |= _sizes_of(self.hits("family", where={"terms": {"family": some}}))
        return sizes

    def size_entries(
        self, sizes: Mapping[str, int], known: Mapping[str, int]
    ) -> list[list[dict[str, Any]]]:
        """Return the actions that store the number of documents of families that changed.

        One or none is not stored.
        """
        actions = []
        for family, count in sorted(sizes.items()):
            id = digest_of_key("family", self.field, family)
            if count > 1 and known.get(family) != count:
                entry = {"kind": "family", "family": family, "documents": count}
                actions.append(self.entry(id, entry))
            elif count <= 1 and family in known:
                actions.append(self.removal(id))
        return actions

    def entry(
        self, id: str, entry: Mapping[str, Any], conditions: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Return the action that stores an entry of this field, in place of that of its id.

        Args:
            id: Of the entry.
            entry: The entry.
            conditions: Version that it replaces; an entry that was changed since stays.
        """
        stored = {**entry, "field": self.field, "version": VERSION}
        return [{"index": {"_id": id, **(conditions or {})}}, stored]

    def removal(self, id: str, conditions: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return the action that deletes an entry, unless it was changed; see `entry`."""
        return [{"delete": {"_id": id, **(conditions or {})}}]

    def write(self, entries: Sequence[list[dict[str, Any]]]) -> None:
        """Send actions, creating the index when there is none; later searches see them.

        Raises:
            ClusterError: An action is rejected.
        """
        if not entries:
            return
        self.create()
        for some in _requests(entries):
            results = self.gateway.bulk(some, index=self.name, refresh=True)
            _require_written(results, self.name)

    def create(self) -> None:
        """Create the index when there is none."""
        template = resources.template("simhash-state@mappings", "simhash-state@settings")
        self.gateway.create_index_if_missing(self.name, **template)

    def entries(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield what is stored of a kind; nothing when there is no such index yet."""
        yield from (hit["_source"] for hit in self.hits(kind))

    def hits(
        self,
        *kinds: str,
        where: Mapping[str, Any] | None = None,
        page: int = PAGE,
        without: Sequence[str] = (),
    ) -> Iterator[dict[str, Any]]:
        """Yield the documents of kinds with their versions, read together, as `entries` does.

        Args:
            kinds: The kinds.
            where: Query that they must match as well.
            page: How many are read with one request.
            without: Members that are not read.
        """
        conditions = [{"terms": {"kind": kinds}}, {"term": {"field": self.field}}]
        conditions += [] if where is None else [where]
        query = {"bool": {"filter": conditions}}
        body = {"size": page, "query": query, "seq_no_primary_term": True}
        body |= {"_source": {"excludes": [*without]}} if without else {}
        # Each write refreshes the index.
        stored = self._started.pages(self.name, body, must_refresh=False)
        try:
            first = list(islice(stored, 1))
        except IndexMissing:
            return
        for hit in chain(first, stored):
            _require_readable(hit, self.name)
            yield hit


def _requests(entries: Sequence[list[dict[str, Any]]]) -> Iterator[list[list[dict[str, Any]]]]:
    """Yield actions that are sent together; an engine rejects a body of 100 MB."""
    some: list[list[dict[str, Any]]] = []
    characters = 0
    for entry in entries:
        size = sum(len(value) for value in entry[-1].values() if isinstance(value, str))
        if some and (len(some) == PAGE or characters + size > _CHARACTERS):
            yield some
            some, characters = [], 0
        some.append(entry)
        characters += size
    if some:
        yield some


def _require_readable(hit: Mapping[str, Any], index: str) -> None:
    """Reject an entry of a later version, or one that nobody here has written so.

    Raises:
        ClusterError: It is one.
    """
    entry = hit.get("_source", {})
    # The first entries carried no version.
    version = entry.get("version", VERSION)
    if version != VERSION:
        raise ClusterError(
            f"Index {index!r} keeps state of version {version!r}, and this version reads "
            f"{VERSION}. Use the version of es-simhash that wrote it."
        )
    shape = {"kind": str, **_ENTRIES.get(str(entry.get("kind")), {})}
    problems = [*faults(entry, shape, "")]
    if not problems and len(entry.get("ids", _TWO)) != len(_TWO):
        problems = ["ids are not two"]
    if not problems and len(entry.get("shards", ())) != len(entry.get("seq_nos", ())):
        problems = ["it has not one number of a write for each shard"]
    for fault in problems[:1]:
        raise ClusterError(
            f"Entry {hit.get('_id')!r} of index {index!r} cannot be read: {fault}. Delete it; a "
            "decision is to be made again."
        )


def options_of(entries: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the options of the last run of families among entries; None when there are none."""
    return next((entry["options"] for entry in entries if entry["kind"] == "run"), None)


def _sizes_of(hits: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    entries = (hit["_source"] for hit in hits)
    return {entry["family"]: entry["documents"] for entry in entries}


def _require_written(results: Sequence[Mapping[str, Any]], index: str) -> None:
    for result in results:
        # One that another writer changed is left as it is.
        if "error" in result and result["status"] != CONFLICT:
            raise ClusterError(
                f"Cannot write to state index {index!r}: {reason_of(result)}. "
                "Check its mapping and the privilege write."
            )
