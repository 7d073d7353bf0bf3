"""The score of versions has a name, which a change of what two texts score cannot keep."""

import json
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from typing import Any

from es_simhash import compare
from es_simhash.relation.thresholds import SCORING
from tests.support.made_up_texts import make_text, revise

# Digests of the numbers and the weights of each name, and of what pairs of texts score. A name that
# was given stays; a change of one of the two gets a new name, and adds its digests here.
KNOWN = {"versions-v2": ("e90bdfd4ca439c23", "76659180ba472be1")}
# What the value of two texts, its kind and the families are computed with.
_MODULES = (
    "relation.resemblance",
    "relation.scoring",
    "relation.shared_shingles",
    "relation.version_value",
    "relation.weighted_chunks",
    "pairs.merging",
)
# How much is computed at once.
_NO_SCORE = "_CELLS"


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _numbers() -> dict[str, float]:
    """Return the constants that scores are computed with, by name."""
    found: dict[str, float] = {}
    for name in _MODULES:
        for constant, value in vars(import_module(f"es_simhash.{name}")).items():
            if constant.strip("_").isupper() and isinstance(value, int | float):
                found[constant] = float(value)
    found.pop(_NO_SCORE)
    return found


def _scores() -> list[tuple[str, float]]:
    """Return kind and score of texts of several lengths with more and less of one another."""
    compared = []
    for tokens in (12, 60, 300, 1500):
        text = make_text(tokens, tokens)
        others = [revise(text, 3, share) for share in (0.02, 0.1, 0.3, 0.6)]
        others += [text.upper(), text[: len(text) // 3], f"Fax 118, 3.50 EUR. {text}", "Nothing."]
        found = [compare(text, other, semantics=None) for other in others]
        compared += [(relation.kind, relation.score) for relation in found]
    return compared


def test_a_change_of_weights_or_thresholds_gets_a_new_name() -> None:
    weights = json.loads((files("es_simhash.relation") / "data/version_weights.json").read_text())
    assert _digest([_numbers(), weights]) == KNOWN[SCORING][0]


def test_a_change_of_the_formula_gets_a_new_name() -> None:
    scores = _scores()
    # A digest of scores that are all alike would notice little.
    assert len({kind for kind, _ in scores}) >= 4
    assert len({score for _, score in scores}) >= 20
    assert _digest(scores) == KNOWN[SCORING][1]
