"""Methods measured on labelled pairs; needs no cluster.

>>> from es_simhash.evaluation import LabelledPairs, evaluate
>>> pairs = LabelledPairs.of([("a", "b", True), ("a", "c", False)])
>>> texts = {"a": "The port opens at six.", "b": "The port opens at 6.", "c": "No ship came."}
>>> len(evaluate(pairs, texts).sets)
1

An installation can leave this out; the import raises `MissingExtra` then.
"""

from es_simhash.store.indexed_methods import require_lab

require_lab()

from es_simhash.lab.evaluation.evaluate import Evaluation, evaluate
from es_simhash.lab.evaluation.evaluation_figures import (
    Interval,
    LabelledSet,
    MethodFigures,
    SetEvaluation,
    WrongPair,
)
from es_simhash.lab.evaluation.labelled_pairs import LabelledPairs, read_pairs

__all__ = [
    "Evaluation",
    "Interval",
    "LabelledPairs",
    "LabelledSet",
    "MethodFigures",
    "SetEvaluation",
    "WrongPair",
    "evaluate",
    "read_pairs",
]
