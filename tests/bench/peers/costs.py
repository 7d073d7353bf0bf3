"""What a peer costs: documents a second, bytes of a document, time of a query.

Peers take turns, round after round, so that an hour in which the machine is slow is slow for all.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial

from es_simhash.errors import MissingExtra
from tests.bench.peak_memory import own_peak
from tests.bench.peers.engine import Engines
from tests.bench.peers.model import Collection, Peer
from tests.bench.peers.registry import SIGNATURES, peers
from tests.bench.timing import percentiles

ROUNDS = 3
QUERIES = 100
# What reads fewer documents a second is measured on a tenth of them.
_SLOW, _SHARE = 50, 10
_TRIED = 20


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
    collections = {name: Cost() for name in names}
    taken = {name: _share(texts, partial(_try, known[name])) for name in names}
    for _ in range(rounds):
        for name, cost in collections.items():
            _measure_peer(known[name], taken[name], engines, cost)
    characters = statistics.mean(map(len, texts))
    return Costs(len(texts), characters, signatures, collections, own_peak())


def _try(peer: Peer, texts: Sequence[str]) -> None:
    peer.build(texts).close()


def _share(texts: Sequence[str], work: Callable[[Sequence[str]], object]) -> Sequence[str]:
    """Return the texts to measure something slow or fast on, after a trial, which warms up."""
    work(texts[:1])
    tried = texts[:_TRIED]
    start = time.process_time()
    work(tried)
    is_slow = len(tried) < _SLOW * (time.process_time() - start)
    return texts[: max(1, len(texts) // _SHARE)] if is_slow else texts


def _signature_costs(texts: Sequence[str], rounds: int) -> dict[str, Cost]:
    taken: dict[str, Sequence[str]] = {}
    for name, sign in SIGNATURES.items():
        # Left out, as the peer itself is.
        with suppress(MissingExtra):
            taken[name] = _share(texts, sign)
    costs = {name: Cost() for name in taken}
    for _ in range(rounds):
        for name, cost in costs.items():
            start = time.process_time()
            SIGNATURES[name](taken[name])
            # Of a few short texts, the clock may not have moved.
            seconds = max(time.process_time() - start, 1e-9)
            cost.rates.append(len(taken[name]) / seconds)
    return costs


def _measure_peer(peer: Peer, texts: Sequence[str], engines: Engines, cost: Cost) -> None:
    clock = _clock(peer, engines)
    start = clock()
    with closing(peer.build(texts)) as collection:
        cost.rates.append(len(texts) / max(clock() - start, 1e-9))
        cost.queries.append(_query_time(collection, len(texts)))
        if cost.nbytes != cost.nbytes:
            cost.nbytes = collection.nbytes() / len(texts)


def _clock(peer: Peer, engines: Engines) -> Callable[[], float]:
    """Return a clock of the processor time of this process and of the engine of a peer."""
    if peer.engine is None:
        return time.process_time
    engine = engines.open(peer.engine)

    return lambda: time.process_time() + engine.cpu_seconds()


def _query_time(collection: Collection, texts: int) -> float:
    step = max(1, texts // QUERIES)
    return percentiles(collection.query, range(0, texts, step))[0]
