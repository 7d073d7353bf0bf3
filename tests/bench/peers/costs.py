"""What a peer costs: documents a second, bytes of a document, time of a query.

Peers take turns, round after round, so that an hour in which the machine is slow is slow for all.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from es_simhash.errors import MissingExtra
from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Collection, Peer
from tests.bench.peers.quality import peak_memory
from tests.bench.peers.registry import SIGNATURES, peers
from tests.bench.timing import percentiles

ROUNDS = 3
QUERIES = 100
# What takes longer is measured in one round.
_SLOW_SECONDS = 10.0
# Engines read their processor time once a second.
_SETTLED = 1.1
_WARM_UP = ("Word lists are loaded when a text is read.", "现在加载这种语言的词汇表。")


@dataclass
class Cost:
    """What was measured of a peer.

    Attributes:
        rates: Documents a second of processor time, of each round.
        queries: Medians of the time of a query in milliseconds, of each round.
        nbytes: Bytes of a document.
    """

    rates: list[float] = field(default_factory=list)
    queries: list[float] = field(default_factory=list)
    nbytes: float = float("nan")

    @property
    def rate(self) -> float:
        """The median of the rates."""
        return statistics.median(self.rates)

    @property
    def query(self) -> float:
        """The least of the medians: what else runs on the machine only adds to it."""
        return min(self.queries)


@dataclass(frozen=True)
class Costs:
    """Costs of all peers, in one process.

    Attributes:
        texts: How many were measured.
        characters: How long they are on average.
        signatures: Costs of computing signatures and no more, by name.
        collections: Costs of taking texts in until they can be queried, by name.
        peak: The process that measured, and the most memory it had, in KiB.
    """

    texts: int
    characters: float
    signatures: dict[str, Cost]
    collections: dict[str, Cost]
    peak: tuple[int, int]


def measure_costs(
    names: Sequence[str], texts: Sequence[str], engines: Engines, rounds: int = ROUNDS
) -> Costs:
    """Measure peers by their names, and the signatures of all whose libraries are installed."""
    known = peers(engines)
    signatures = _signature_costs(texts, rounds)
    collections: dict[str, Cost] = {name: Cost() for name in names}
    for _ in range(rounds):
        for name, cost in collections.items():
            if not cost.rates or len(texts) / cost.rates[0] < _SLOW_SECONDS:
                _measure_peer(known[name], texts, engines, cost)
    characters = statistics.mean(map(len, texts))
    return Costs(len(texts), characters, signatures, collections, peak_memory())


def _signature_costs(texts: Sequence[str], rounds: int) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}
    for name, sign in SIGNATURES.items():
        try:
            sign(_WARM_UP)
        except MissingExtra:
            continue
        costs[name] = Cost()
    for _ in range(rounds):
        for name, cost in costs.items():
            if not cost.rates or len(texts) / cost.rates[0] < _SLOW_SECONDS:
                start = time.process_time()
                SIGNATURES[name](texts)
                cost.rates.append(len(texts) / (time.process_time() - start))
    return costs


def _measure_peer(peer: Peer, texts: Sequence[str], engines: Engines, cost: Cost) -> None:
    clock = _clock(peer, engines)
    start = clock()
    with closing(peer.build(texts)) as collection:
        cost.rates.append(len(texts) / (clock() - start))
        cost.queries.append(_query_time(collection, len(texts)))
        if cost.nbytes != cost.nbytes:
            cost.nbytes = collection.nbytes() / len(texts)


def _clock(peer: Peer, engines: Engines) -> Callable[[], float]:
    """Return a clock of the processor time of this process and of the engine of a peer."""
    if peer.engine is None:
        return time.process_time
    engine = engines.open(peer.engine)

    def read() -> float:
        time.sleep(_SETTLED)
        return time.process_time() + engine.cpu_seconds()

    return read


def _query_time(collection: Collection, texts: int) -> float:
    step = max(1, texts // QUERIES)
    return percentiles(collection.query, range(0, texts, step))[0]
