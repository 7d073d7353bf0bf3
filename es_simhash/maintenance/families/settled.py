"""The pairs of documents that a person decided about: dismissals, joins, undone decisions."""

from dataclasses import dataclass
from typing import Literal

from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.installation.noted_pairs import Dismissals, Ids, Joins, UndoneDecision
from es_simhash.store.installation.state_index import StateIndex


@dataclass(frozen=True)
class SettledPair:
    """Two documents that a person decided about.

    Attributes:
        ids: Their ids; of an undone decision the document and its original.
        reason: `dismissed` by `dismiss`: they are no versions of each other; `joined` by `join`:
            they are; `undone` by `undo`: no run makes that decision again.
        run: Id of the run that made the undone decision; None otherwise.
    """

    ids: Ids
    reason: Literal["dismissed", "joined", "undone"]
    run: str | None = None


def settled_pairs(
    client: Client, index: str, *, simhash_field: str = DEFAULT_FIELD
) -> list[SettledPair]:
    """Return the pairs of documents that a person decided about, sorted by their ids.

    Args:
        client: Client of the cluster.
        index: Index, alias or data stream.
        simhash_field: Field of the fingerprints.

    Raises:
        InputError: The name stands for several indices.
    """
    state = StateIndex(Gateway.of(client), index, simhash_field)
    dismissals = Dismissals(state)
    pairs = [SettledPair(ids, "dismissed") for ids in dismissals.pairs()]
    pairs += [SettledPair(ids, "joined") for ids in Joins(state).pairs()]
    pairs += map(undone_pair, dismissals.undone())
    return sorted(pairs, key=lambda pair: (pair.ids, pair.reason, pair.run or ""))


def undone_pair(decision: UndoneDecision) -> SettledPair:
    """Return an undone decision as a pair."""
    return SettledPair(decision.ids, "undone", decision.run)
