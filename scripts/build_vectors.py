"""Write the conformance files data/vectors.json and data/semantic_profiles.json.

    python -m scripts.build_vectors

They are made from the readable files data/*.input.json. What they say of a published scheme never
changes, so running this changes them only when a text or a scheme was added.
"""

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.fingerprints.scheme_keys import KEY_FILE_VARIABLE, KEY_VARIABLE
from es_simhash.store import semantic_conformance
from es_simhash.store.conformance import Vector, describe

DATA = Path(__file__).parents[1] / "es_simhash" / "data"

_ABOUT_VECTORS = "Made by python -m scripts.build_vectors; see docs/fingerprint.md, Porting."
_ABOUT_PROFILES = "Made by python -m scripts.build_vectors; see docs/semantic-neighbours.md."


def vectors() -> list[Vector]:
    """Compute the vectors of the readable input file."""
    entries = json.loads((DATA / "vectors.input.json").read_text("utf-8"))["texts"]
    return [_vector(entry) for entry in entries]


def keyed_vectors() -> dict[str, Any]:
    """Compute those of the scheme with the key of that file."""
    keyed = json.loads((DATA / "vectors.input.json").read_text("utf-8"))["keyed"]
    with patch.dict(os.environ, {KEY_VARIABLE: keyed["key"], KEY_FILE_VARIABLE: ""}):
        scheme = chosen_scheme("keyed").name
        made = [_vector({**entry, "scheme": scheme}) for entry in keyed["texts"]]
    return {"key": keyed["key"], "vectors": made}


def _vector(entry: dict[str, Any]) -> Vector:
    scheme = Scheme.parse(entry.get("scheme", DEFAULT.name))
    return {"name": entry["name"], **describe(_expand(entry), scheme)}


def _expand(entry: dict[str, Any]) -> str:
    """Return the text of an entry; `{}` in a repeated one is replaced by 1, 2, 3 ..."""
    content: str = entry["text"]
    if "times" not in entry:
        return content
    return "".join(content.replace("{}", str(number + 1)) for number in range(entry["times"]))


def write_vectors(folder: Path = DATA) -> None:
    """Write vectors.json, one vector a line."""
    lines = ",\n".join(json.dumps(vector) for vector in vectors())
    keyed = json.dumps(keyed_vectors())
    about = json.dumps(_ABOUT_VECTORS)
    content = f'{{"about": {about}, "vectors": [\n{lines}\n],\n"keyed": {keyed}}}\n'
    (folder / "vectors.json").write_text(content, "ascii")


def write_profiles(folder: Path = DATA) -> None:
    """Write semantic_profiles.json."""
    content = {
        "about": _ABOUT_PROFILES,
        "scheme": semantic_conformance.SCHEME.name,
        "semantics": semantic_conformance.computed(),
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    (folder / "semantic_profiles.json").write_text(text + "\n", "utf-8")


def main() -> None:
    """Write both files."""
    write_vectors()
    write_profiles()


if __name__ == "__main__":
    main()
