"""The state index INDEX-simhash: dismissals, sizes of families, sweep checkpoints, reservations.

None of it can be stored in the documents themselves, which are replaced as a whole when they are
written again; and that a document left its family shows only in what is stored elsewhere.
Reservations are read and written by `deduplication.reservations`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from es_simhash.engine.errors import reason_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import ClusterError, IndexMissing, InputError
from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.storage import resources

SUFFIX = "-simhash"
_PAGE = 1000


@dataclass(frozen=True)
class Dismissal:
    """Two documents that are not versions of each other.

    Attributes:
        ids: The ids of the documents.
        undone: True when the dismissal was withdrawn, and no run has acknowledged that yet.
        pending: True when no run has acknowledged it yet.
    """

    ids: tuple[str, str]
    undone: bool = False
    pending: bool = True


@dataclass(frozen=True)
class SweepCheckpoint:
    """Where the next sweep begins.

    Attributes:
        seq_nos: Sequence number of the last write that was processed, by the name of the shard.
        deciding: True when the last sweep began to decide and did not end.
    """

    seq_nos: Mapping[str, int] = field(default_factory=dict)
    deciding: bool = False


class StateIndex:
    """The state index of one of the user's indices; the constructor sends nothing.

    Args:
        client: Client of the cluster.
        index: The user's index, alias or data stream.
        field: Field of the fingerprints in it.

    Raises:
        InputError: The name is a pattern or a list of names.
    """

    def __init__(self, client: Client, index: str, field: str) -> None:
        if any(sign in index for sign in "*,"):
            raise InputError(
                f"{index!r} names several indices. Give one index, alias or data stream."
            )
        self.name = index.lstrip(".") + SUFFIX
        self._gateway = Gateway.of(client)
        self._field = field

    def dismissals(self) -> list[Dismissal]:
        """Return all dismissals, with those withdrawn that no run has acknowledged."""
        return [
            Dismissal((entry["ids"][0], entry["ids"][1]), entry["undone"], entry["pending"])
            for entry in self._entries("dismissal")
        ]

    def last_run(self) -> str | None:
        """Return the options of the last run of families; None when there was none."""
        for entry in self._entries("run"):
            options: str = entry["options"]
            return options
        return None

    def write_run(self, options: str) -> None:
        """Store the options of a run of families."""
        id = digest_of_key("run", self._field)
        self._write([self._entry(id, {"kind": "run", "options": options})])

    def last_sweep(self, options: str) -> SweepCheckpoint:
        """Return the checkpoint of the last sweep; without numbers if its options differ."""
        for entry in self._entries("sweep"):
            seq_nos = dict(zip(entry["shards"], entry["seq_nos"], strict=True))
            known = seq_nos if entry["options"] == options else {}
            return SweepCheckpoint(known, entry["deciding"])
        return SweepCheckpoint()

    def write_sweep(self, options: str, checkpoint: SweepCheckpoint) -> None:
        """Store the checkpoint of a sweep with these options."""
        entry = {
            "kind": "sweep",
            "options": options,
            "shards": list(checkpoint.seq_nos),
            "seq_nos": list(checkpoint.seq_nos.values()),
            "deciding": checkpoint.deciding,
        }
        self._write([self._entry(digest_of_key("sweep", self._field), entry)])

    def sizes(self) -> dict[str, int]:
        """Return the number of documents of each family that has several."""
        return {entry["family"]: entry["documents"] for entry in self._entries("family")}

    def write_dismissal(self, dismissal: Dismissal) -> None:
        """Store a dismissal in place of what was stored of the two documents."""
        self._write([self._dismissal(dismissal)])

    def acknowledge(self, dismissals: Sequence[Dismissal]) -> None:
        """Mark dismissals as applied by a run, and delete those withdrawn."""
        self._write(
            [
                self._removal(self._dismissal_id(dismissal.ids))
                if dismissal.undone
                else self._dismissal(Dismissal(dismissal.ids, pending=False))
                for dismissal in dismissals
            ]
        )

    def write_sizes(self, sizes: Mapping[str, int], known: Mapping[str, int]) -> None:
        """Store the number of documents of families that changed; one or none is not stored."""
        lines = []
        for family, count in sorted(sizes.items()):
            id = digest_of_key("family", self._field, family)
            if count > 1 and known.get(family) != count:
                entry = {"kind": "family", "family": family, "documents": count}
                lines.append(self._entry(id, entry))
            elif count <= 1 and family in known:
                lines.append(self._removal(id))
        self._write(lines)

    def _dismissal_id(self, ids: tuple[str, str]) -> str:
        return digest_of_key("dismissal", self._field, *sorted(ids))

    def _dismissal(self, dismissal: Dismissal) -> list[dict[str, Any]]:
        entry = {
            "kind": "dismissal",
            "ids": sorted(dismissal.ids),
            "undone": dismissal.undone,
            "pending": dismissal.pending,
        }
        return self._entry(self._dismissal_id(dismissal.ids), entry)

    def _entry(self, id: str, entry: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"index": {"_id": id}}, {**entry, "field": self._field}]

    def _removal(self, id: str) -> list[dict[str, Any]]:
        return [{"delete": {"_id": id}}]

    def _write(self, entries: Sequence[list[dict[str, Any]]]) -> None:
        if not entries:
            return
        self.create()
        for start in range(0, len(entries), _PAGE):
            results = self._gateway.bulk(entries[start : start + _PAGE], index=self.name)
            _require_written(results, self.name)
        self._gateway.refresh(self.name)

    def create(self) -> None:
        """Create the index when there is none."""
        template = resources.template("simhash-state@mappings", "simhash-state@settings")
        self._gateway.create_index_if_missing(self.name, **template)

    def _entries(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield what is stored of a kind; nothing when there is no such index yet."""
        conditions = [{"term": {"kind": kind}}, {"term": {"field": self._field}}]
        body = {"size": _PAGE, "query": {"bool": {"filter": conditions}}}
        stored = self._gateway.pages(self.name, body)
        try:
            first = list(islice(stored, 1))
        except IndexMissing:
            return
        yield from (hit["_source"] for hit in chain(first, stored))


def _require_written(results: Sequence[Mapping[str, Any]], index: str) -> None:
    for result in results:
        if "error" in result:
            raise ClusterError(
                f"Cannot write to state index {index!r}: {reason_of(result)}. "
                "Check its mapping and the privilege write."
            )
