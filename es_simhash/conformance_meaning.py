"""What has to be read from a few texts, so that an installation can check itself.

`python -m es_simhash.conformance_meaning` writes data/meanings.json from data/meanings.input.json.
That file is never changed under a published scheme: a difference is a bug in the code.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from es_simhash.concepts.meaning import MeaningScheme
from es_simhash.concepts.reading import meaning_reader
from es_simhash.document import VECTOR
from es_simhash.document_meaning import meaning_members

# Without packages that may be installed or not.
SCHEME = MeaningScheme()
_DIGITS = 3


def expected() -> list[dict[str, Any]]:
    """Give what was published."""
    published: list[dict[str, Any]] = json.loads(_read("meanings.json"))["meanings"]
    return published


def build() -> list[dict[str, Any]]:
    """Read the texts of the readable input file."""
    entries = json.loads(_read("meanings.input.json"))["texts"]
    meanings = meaning_reader(SCHEME).read([entry["text"] for entry in entries])
    members = meaning_members(meanings, SCHEME.name)
    return [
        {"name": entry["name"], "language": meaning.language, "members": _rounded(each)}
        for entry, meaning, each in zip(entries, meanings, members, strict=True)
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
    about = "Made by python -m es_simhash.conformance_meaning; see docs/meaning.md."
    content = {"about": about, "scheme": SCHEME.name, "meanings": build()}
    target = Path(__file__).parent / "data" / "meanings.json"
    target.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
