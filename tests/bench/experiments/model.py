"""What an experiment is, and what it returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from es_simhash.lab.evaluation.curve_pictures import Picture
from es_simhash.lab.evaluation.evaluation_tables import Table


@dataclass(frozen=True)
class Size:
    """How much an experiment computes.

    Attributes:
        texts: Texts of a set of versions at the most.
        draws: How often random functions are drawn.
        permutations: Of a text.
        topic: Texts of a topic at the most.
    """

    texts: int = 160
    draws: int = 40
    permutations: int = 410
    topic: int = 500


@dataclass(frozen=True)
class Result:
    """What an experiment found.

    Attributes:
        tables: Its figures.
        plots: Pictures by name; the empty name for the only one.
        notes: What the figures were computed on, one sentence each.
    """

    tables: tuple[Table, ...]
    plots: Mapping[str, Picture] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """An experiment of the origins.

    Attributes:
        title: What it measures.
        run: Computes it.
    """

    title: str
    run: Callable[[Size], Result]
