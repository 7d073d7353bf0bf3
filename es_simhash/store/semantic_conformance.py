"""Conformance of semantic features: what a few texts must give, so that an installation can check.

`scripts/build_vectors.py` writes data/semantic_profiles.json from its readable `.input.json`. The
profiles of a published scheme never change: a difference is a bug in the code.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.fields import CONCEPTS, VECTOR
from es_simhash.store.semantic_codec import semantic_members

# Without packages that may be installed or not.
SCHEME = SemanticScheme()
_DIGITS = 3


def expected() -> list[dict[str, Any]]:
    """Return the published profiles."""
    published: list[dict[str, Any]] = _read("semantic_profiles.json")["semantics"]
    return published


def computed() -> list[dict[str, Any]]:
    """Compute the profiles of the texts of the readable input file."""
    entries = _read("semantic_profiles.input.json")["texts"]
    profiles = semantic_profiler(SCHEME).profile([entry["text"] for entry in entries])
    stored = semantic_members(profiles, SCHEME.name)
    return [
        {"name": entry["name"], "language": profile.language, "members": _rounded(members)}
        for entry, profile, members in zip(entries, profiles, stored, strict=True)
    ]


def _rounded(members: dict[str, Any]) -> dict[str, Any]:
    """Leave out what follows from the rest, and digits that logarithms differ in."""
    rounded = {name: value for name, value in members.items() if name != VECTOR}
    if concepts := rounded.get(CONCEPTS):
        rounded[CONCEPTS] = {term: round(weight, _DIGITS) for term, weight in concepts.items()}
    return rounded


def differences() -> Iterator[str]:
    """Yield a sentence for each text whose profile differs from the published one."""
    for published, profile in zip(expected(), computed(), strict=True):
        if published != profile:
            name = published["name"]
            yield f"{name}: {SCHEME.name} gives {profile} in place of {published}."


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((files("es_simhash") / "data" / name).read_text("utf-8"))
    return content
