"""What has to be read from a few texts, so that an installation can check itself.

`python -m es_simhash.storage.semantic_conformance` writes data/semantic_profiles.json from
data/semantic_profiles.input.json. That file is never changed under a published scheme:
a difference is a bug in the code.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.scheme import SemanticScheme
from es_simhash.storage.fields import VECTOR
from es_simhash.storage.semantic_codec import semantic_members

# Without packages that may be installed or not.
SCHEME = SemanticScheme()
_DIGITS = 3


def expected() -> list[dict[str, Any]]:
    """Return what was published."""
    published: list[dict[str, Any]] = json.loads(_read("semantic_profiles.json"))["semantics"]
    return published


def build() -> list[dict[str, Any]]:
    """Read the texts of the readable input file."""
    entries = json.loads(_read("semantic_profiles.input.json"))["texts"]
    profiles = semantic_profiler(SCHEME).profile([entry["text"] for entry in entries])
    members = semantic_members(profiles, SCHEME.name)
    return [
        {"name": entry["name"], "language": semantics.language, "members": _rounded(each)}
        for entry, semantics, each in zip(entries, profiles, members, strict=True)
    ]


def _rounded(members: dict[str, Any]) -> dict[str, Any]:
    """Leave out what follows from the rest, and digits that logarithms differ in."""
    kept = {name: value for name, value in members.items() if name != VECTOR}
    if concepts := kept.get("concepts"):
        kept["concepts"] = {term: round(weight, _DIGITS) for term, weight in concepts.items()}
    return kept


def differences() -> Iterator[str]:
    """Yield a sentence for each text that is read otherwise than published."""
    for wanted, found in zip(expected(), build(), strict=True):
        if wanted != found:
            yield f"{wanted['name']}: {SCHEME.name} gives {found} in place of {wanted}."


def _read(name: str) -> str:
    return (files("es_simhash") / "data" / name).read_text("utf-8")


def main() -> None:
    """Write the file that is shipped."""
    about = (
        "Made by python -m es_simhash.storage.semantic_conformance; "
        "see docs/semantic-neighbours.md."
    )
    content = {"about": about, "scheme": SCHEME.name, "semantics": build()}
    target = Path(__file__).parents[1] / "data" / "semantic_profiles.json"
    target.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
