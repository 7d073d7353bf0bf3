"""The small index beside the user's: what was dismissed, and how large families were.

Neither can stand in the documents themselves, which are replaced as a whole when they are written
again; and who left a family can only be told by what is written elsewhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from es_simhash.engine.errors import reason_of
from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import ClusterError, IndexMissing, InputError
from es_simhash.families.names import name_of_key

SUFFIX = "-simhash"
_PAGE = 1000
_MAPPINGS = {
    "dynamic": False,
    "properties": {
        "kind": {"type": "keyword"},
        "field": {"type": "keyword"},
        "family": {"type": "keyword"},
        "ids": {"type": "keyword"},
    },
}
_SETTINGS = {"number_of_shards": 1, "auto_expand_replicas": "0-1", "hidden": True}


@dataclass(frozen=True)
class Dismissal:
    """Two documents that are not versions of each other.

    Attributes:
        ids: Of the documents.
        undone: True when this was taken back, and no run has seen it yet.
        pending: True when no run has seen it yet.
    """

    ids: tuple[str, str]
    undone: bool = False
    pending: bool = True


@dataclass(frozen=True)
class Sweep:
    """How far sweeps have come.

    Attributes:
        seq_nos: Number of the last write that was looked at, by the name of the shard.
        deciding: True when the last one began to decide and did not end.
    """

    seq_nos: Mapping[str, int] = field(default_factory=dict)
    deciding: bool = False


class Companion:
    """The index beside an index; nothing is sent before a method is called.

    Args:
        client: Of the cluster.
        index: The user's index.
        field: Name of our object in it.

    Raises:
        InputError: The name stands for several indices.
    """

    def __init__(self, client: Client, index: str, field: str) -> None:
        if any(sign in index for sign in "*,"):
            raise InputError(
                f"{index!r} stands for several indices; give one index, alias or data stream."
            )
        self.name = index.lstrip(".") + SUFFIX
        self._gateway = Gateway.of(client)
        self._field = field

    def dismissals(self) -> list[Dismissal]:
        """Return all dismissals, those taken back that no run has seen among them."""
        return [
            Dismissal((entry["ids"][0], entry["ids"][1]), entry["undone"], entry["pending"])
            for entry in self._entries("dismissal")
        ]

    def last_run(self) -> str | None:
        """Return what the last run was told; None when there was none."""
        for entry in self._entries("run"):
            told: str = entry["told"]
            return told
        return None

    def write_run(self, told: str) -> None:
        """Remember what a run was told."""
        id = name_of_key("run", self._field)
        self._write([self._entry(id, {"kind": "run", "told": told})])

    def last_sweep(self, told: str) -> Sweep:
        """Return how far sweeps that were told the same have come."""
        for entry in self._entries("sweep"):
            seq_nos = dict(zip(entry["shards"], entry["seq_nos"], strict=True))
            return Sweep(seq_nos if entry["told"] == told else {}, entry["deciding"])
        return Sweep()

    def write_sweep(self, told: str, sweep: Sweep) -> None:
        """Remember how far a sweep has come."""
        entry = {
            "kind": "sweep",
            "told": told,
            "shards": list(sweep.seq_nos),
            "seq_nos": list(sweep.seq_nos.values()),
            "deciding": sweep.deciding,
        }
        self._write([self._entry(name_of_key("sweep", self._field), entry)])

    def sizes(self) -> dict[str, int]:
        """Return the number of documents of each family that has several."""
        return {entry["family"]: entry["documents"] for entry in self._entries("family")}

    def write_dismissal(self, dismissal: Dismissal) -> None:
        """Remember a dismissal in place of what was known of the two."""
        self._write([self._dismissal(dismissal)])

    def seen(self, dismissals: Sequence[Dismissal]) -> None:
        """Note that a run has seen these; those taken back are forgotten."""
        self._write(
            [
                self._removal(self._dismissal_id(each.ids))
                if each.undone
                else self._dismissal(Dismissal(each.ids, pending=False))
                for each in dismissals
            ]
        )

    def write_sizes(self, sizes: Mapping[str, int], known: Mapping[str, int]) -> None:
        """Remember how many documents families have; one or none is not remembered."""
        lines = []
        for family, count in sorted(sizes.items()):
            id = name_of_key("family", self._field, family)
            if count > 1 and known.get(family) != count:
                entry = {"kind": "family", "family": family, "documents": count}
                lines.append(self._entry(id, entry))
            elif count <= 1 and family in known:
                lines.append(self._removal(id))
        self._write(lines)

    def _dismissal_id(self, ids: tuple[str, str]) -> str:
        return name_of_key("dismissal", self._field, *sorted(ids))

    def _dismissal(self, each: Dismissal) -> list[dict[str, Any]]:
        entry = {
            "kind": "dismissal",
            "ids": sorted(each.ids),
            "undone": each.undone,
            "pending": each.pending,
        }
        return self._entry(self._dismissal_id(each.ids), entry)

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
        self._gateway.create_index_if_missing(self.name, mappings=_MAPPINGS, settings=_SETTINGS)

    def _entries(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield what is remembered; nothing when there is no such index yet."""
        conditions = [{"term": {"kind": kind}}, {"term": {"field": self._field}}]
        body = {"size": _PAGE, "query": {"bool": {"filter": conditions}}}
        found = self._gateway.pages(self.name, body)
        try:
            first = list(islice(found, 1))
        except IndexMissing:
            return
        yield from (hit["_source"] for hit in chain(first, found))


def _require_written(results: Sequence[Mapping[str, Any]], index: str) -> None:
    for result in results:
        if "error" in result:
            raise ClusterError(f"Index {index!r} refuses to remember: {reason_of(result)}.")
