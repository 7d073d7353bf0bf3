"""Suggestions for an index: where versions begin, scheme, Hamming distance and blocks.

An installation can leave this out; the import raises `MissingExtra` then.
"""

from es_simhash.store.indexed_methods import require_lab

require_lab()

from es_simhash.lab.tuning.tune import tune
from es_simhash.lab.tuning.tuning_figures import (
    BlockFigures,
    KFigures,
    LabelledFigures,
    Measure,
    SchemeFigures,
    SchemeProposal,
    ThresholdFigures,
    ThresholdProposal,
    TuneOptions,
    Tuning,
)

__all__ = [
    "BlockFigures",
    "KFigures",
    "LabelledFigures",
    "Measure",
    "SchemeFigures",
    "SchemeProposal",
    "ThresholdFigures",
    "ThresholdProposal",
    "TuneOptions",
    "Tuning",
    "tune",
]
