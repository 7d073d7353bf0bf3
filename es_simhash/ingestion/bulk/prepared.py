"""A batch that a worker has prepared: what is to be sent of it, and what is not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from es_simhash.ingestion.bulk.conflicts import Mark
from es_simhash.ingestion.bulk.outcome import Failure


@dataclass
class Prepared:
    """A batch ready to be sent.

    Attributes:
        body: Body of the bulk request.
        ends: Where the action of each document ends in the body.
        ids: Id of each document in the body.
        positions: Number in the batch of each document in the body.
        unchanged: Position and id of documents that the index has as they are.
        repeats: Position and id of documents for which another one of the batch is kept.
        failures: Documents that cannot be written.
        marks: How the run remembers the documents, by position.
    """

    body: bytes = b""
    ends: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    unchanged: list[tuple[int, str]] = field(default_factory=list)
    repeats: list[tuple[int, str]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    marks: dict[int, Mark] = field(default_factory=dict)

    @property
    def stored_ids(self) -> set[str]:
        """Ids of documents that are left out because the index has them."""
        return {id for _, id in self.unchanged}

    def fill(self, actions: Sequence[bytes]) -> None:
        """Set the body to these actions."""
        end = 0
        for action in actions:
            end += len(action)
            self.ends.append(end)
        self.body = b"".join(actions)

    def leave_out(self, positions: Iterable[int]) -> None:
        """Remove documents from what is sent, by their numbers in the batch."""
        left_out = frozenset(positions)
        if not left_out:
            return
        starts = [0, *self.ends[:-1]]
        kept = [n for n, position in enumerate(self.positions) if position not in left_out]
        actions = [self.body[starts[n] : self.ends[n]] for n in kept]
        self.ids = [self.ids[n] for n in kept]
        self.positions = [self.positions[n] for n in kept]
        self.unchanged = [entry for entry in self.unchanged if entry[0] not in left_out]
        self.ends = []
        self.fill(actions)
