"""Methods of near-duplicate detection by their names: scores, and fingerprints as strings.

>>> from es_simhash.methods import compare_fingerprints, method_fingerprint
>>> one = method_fingerprint("The port opens at six.", "token-simhash")
>>> compare_fingerprints(one, one)
1.0

An installation can leave this out; the import raises `MissingExtra` then.
"""

from es_simhash.store.indexed_methods import require_lab

require_lab()

from es_simhash.lab.methods.method_registry import method_names
from es_simhash.lab.methods.method_scores import (
    MethodScore,
    compare_fingerprints,
    method_fingerprint,
    method_schemes,
    method_score,
)
from es_simhash.questions.method_steps import MethodAnswer, MethodEvidence, MethodRelation

__all__ = [
    "MethodAnswer",
    "MethodEvidence",
    "MethodRelation",
    "MethodScore",
    "compare_fingerprints",
    "method_fingerprint",
    "method_names",
    "method_schemes",
    "method_score",
]
