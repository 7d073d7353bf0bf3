"""The tables of a run as Markdown, its figures behind their markers, and what is to be said."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tests.bench.evaluate import SHORT_NAMES
from tests.bench.figures import Figures
from tests.bench.peers.costs import Cost, Costs
from tests.bench.peers.model import Kind, Peer
from tests.bench.peers.quality import Cuts, Quality
from tests.bench.peers.registry import OWN

_DIGITS = 3
_TITLES = {
    "default": "F1 with each tool's defaults",
    "single": "F1 at one cut for all sets, the best of each tool",
    "held_out": "F1 at the cut chosen on the other sets",
}
# Values as close as this are as good.
_CLOSE = 0.01


@dataclass(frozen=True)
class Run:
    """What a run measured.

    Attributes:
        peers: The peers that ran, by name.
        sets: Names of the sets.
        quality: By peer and set.
        costs: Of the peers.
        engines: Versions of the engines, by kind.
    """

    peers: Mapping[str, Peer]
    sets: Sequence[str]
    quality: Mapping[tuple[str, str], Quality]
    costs: Costs
    engines: Mapping[Kind, str] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """What F1 is measured at; of one set, there are no others to choose a cut on."""
        return [name for name in _TITLES if name != "held_out" or len(self.sets) > 1]

    def values(self, measure: str) -> dict[str, list[float]]:
        """Return F1 of each peer on each set, and its mean over the sets."""
        rows = {
            peer: [self._value(measure, peer, name) for name in self.sets] for peer in self.peers
        }
        return {peer: [*row, float(np.mean(row))] for peer, row in rows.items()}

    @cached_property
    def cuts(self) -> dict[str, Cuts]:
        """Each peer on all sets."""
        return {
            peer: Cuts({name: self.quality[peer, name] for name in self.sets})
            for peer in self.peers
        }

    def _value(self, measure: str, peer: str, name: str) -> float:
        if measure == "default":
            return self.quality[peer, name].default
        cuts = self.cuts[peer]
        if measure == "single":
            return self.quality[peer, name].f1(cuts.single)
        return cuts.held_out(name)


def record(run: Run, figures: Figures) -> None:
    """Add every F1 to the figures."""
    for measure in run.measures:
        for peer, row in run.values(measure).items():
            for name, value in zip((*run.sets, "mean"), row, strict=True):
                figures.add(f"{name}/{peer}/{measure}", value)


def report(run: Run, heading: str) -> str:
    """Return the heading, all tables and what is to be said of them."""
    lines = [heading, ""]
    for measure in run.measures:
        lines += [*_quality_table(run, measure), ""]
    lines += [*_verdicts(run), ""]
    lines += [*_collection_table(run), "", *_signature_table(run), "", *_gaps(run), ""]
    lines += [*_failures(run), "", *_tools(run)]
    return "\n".join(lines)


def _quality_table(run: Run, measure: str) -> Iterator[str]:
    values = run.values(measure)
    best = np.max(np.round(list(values.values()), _DIGITS), axis=0)
    yield f"### {_TITLES[measure]}\n"
    yield from _head("tool", *(SHORT_NAMES.get(name, name) for name in run.sets), "mean")
    for peer, row in values.items():
        named = zip((*run.sets, "mean"), row, best.tolist(), strict=True)
        cells = [_cell(f"peers/{name}/{peer}/{measure}", *value) for name, *value in named]
        yield _row(peer, *cells)


def _cell(figure: str, value: float, best: float) -> str:
    shown = f"<!-- figure: {figure} -->{value:.{_DIGITS}f}"
    return f"**{shown}**" if round(value, _DIGITS) == best else shown


def _verdicts(run: Run) -> Iterator[str]:
    """Yield, for each set, how this project compares with the best peer."""
    if OWN not in run.peers or len(run.peers) < 2:
        return
    default, single = run.values("default")[OWN], run.values("single")
    for place, name in enumerate((*run.sets, "mean")):
        peer = max((each for each in single if each != OWN), key=lambda each: single[each][place])
        best, own = single[peer][place], single[OWN][place]
        gap = own - best
        said = "as good" if abs(gap) < _CLOSE else "better" if gap > 0 else "**worse**"
        what = "Mean" if name == "mean" else SHORT_NAMES.get(name, name)
        yield (
            f"- {what}: es-simhash {own:.3f} at its one cut ({default[place]:.3f} by default), "
            f"best peer {peer} {best:.3f}: es-simhash is {said}."
        )


def _collection_table(run: Run) -> Iterator[str]:
    costs = run.costs
    yield "### Texts taken in until they can be queried\n"
    yield (
        f"{costs.texts:,} news articles of {costs.characters:,.0f} characters, one process; "
        "processor time of the process and of its engine.\n"
    )
    yield from _head("tool", "documents/s", "ratio", "bytes/document", "query, ms")
    own = costs.collections.get(OWN)
    for name, cost in costs.collections.items():
        yield _row(
            name, f"{cost.rate:,.0f}", _ratio(cost, own), f"{cost.nbytes:,.0f}", f"{cost.query:.2f}"
        )


def _signature_table(run: Run) -> Iterator[str]:
    costs = run.costs.signatures
    yield "### Signatures alone\n"
    yield "The same texts, nothing put into an index; processor time.\n"
    yield from _head("signatures", "documents/s", "ratio")
    first = next(iter(costs.values()), None)
    for name, cost in costs.items():
        yield _row(name, f"{cost.rate:,.0f}", _ratio(cost, first))


def _gaps(run: Run) -> Iterator[str]:
    """Yield how far the fastest peer is ahead of what this project computes."""
    costs = run.costs.signatures
    own = {name: cost for name, cost in costs.items() if name.startswith(OWN)}
    others = {name: cost.rate for name, cost in costs.items() if name not in own}
    if not own or not others:
        return
    fastest = max(others, key=lambda name: others[name])
    for name, cost in own.items():
        yield (
            f"- {fastest}, the fastest peer: {others[fastest]:,.0f} documents/s, "
            f"{others[fastest] / cost.rate:.2f} × {name} ({cost.rate:,.0f})."
        )


def _failures(run: Run) -> Iterator[str]:
    """Yield what fails, on how many texts."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (peer, name), quality in run.quality.items():
        for reason, texts in quality.failures.items():
            counts[peer, reason][SHORT_NAMES.get(name, name)] += texts
    yield "### What fails\n"
    if not counts:
        yield "Nothing."
    for (peer, reason), sets in sorted(counts.items()):
        where = ", ".join(f"{texts:,} of {name}" for name, texts in sets.items())
        yield f"- {peer}: {reason} ({where})."


def _tools(run: Run) -> Iterator[str]:
    yield "### The tools\n"
    yield from _head("tool", "what it is", "one cut")
    for name, peer in run.peers.items():
        yield _row(name, peer.tool, f"{run.cuts[name].single:.3g}")


def _ratio(cost: Cost, own: Cost | None) -> str:
    return f"{cost.rate / own.rate:.2f}" if own else "–"


def _head(*cells: str) -> Iterator[str]:
    yield _row(*cells)
    yield _row(*["---"] * len(cells))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
