"""Write the conformance vectors of the methods, es_simhash/data/methods/*.json.

    python -m tests.support.method_vectors

They are computed by the second implementation, `slow_fingerprints`, not by the code they check.
What they say of a published scheme never changes.
"""

import base64
import json
from pathlib import Path
from typing import Any

from es_simhash.lab.methods.method_scores import method_schemes
from tests.support.five_languages import texts
from tests.support.slow_fingerprints import FINGERPRINTS, Stored

FOLDER = Path(__file__).parents[2] / "es_simhash" / "data" / "methods"
_ABOUT = "Made by python -m tests.support.method_vectors; see docs/methods.md, Methods in an index."
_SMALL = {
    "empty": "",
    "no words": "?! — …",
    "one letter": "a",
    "repeated": "twice twice once",
    "other case and space": "  HELLO,\n\tworld!",
    "numbers and an address": "Of 12 ships, 3 left: see https://example.org/a_b?c=d or v_1.",
    "marks and ligatures": "Größe, e\u0301te\u0301, ﬁne naïve façade and snake_case x1y2.",
    "a title, a conclusion": "The bridge\nFinally the engineers measured the bridge and the river. "
    "In conclusion, the bridge opens in spring.",
    "beyond the basic plane": "𝔘nicode 𐐀𐐁 🙂 end.",
    "a shared paragraph": "The harbour opens at six in the morning, and the ferry leaves at seven "
    "as on any other day.\n\nThe harbour opens at six in the morning, and the ferry leaves at "
    "seven as on any other day.",
}


def inputs() -> dict[str, str]:
    """Return the texts by their names."""
    whole = {f"in {id}": text for id, text in texts().items() if len(id) == 2}
    return {**_SMALL, **whole}


def vectors(method: str) -> list[dict[str, Any]]:
    """Return the vectors of a method."""
    scheme = method_schemes()[method]
    return [
        {"name": name, "text": text, **_described(FINGERPRINTS[method](text), scheme)}
        for name, text in inputs().items()
    ]


def _described(stored: Stored, scheme: str) -> dict[str, Any]:
    digits = base64.b32encode(b"".join(stored.fingerprints)).decode("ascii").rstrip("=")
    string = f"{scheme}:{digits}" if stored.fingerprints else None
    return {"fingerprint": string, "blocks": stored.blocks}


def main() -> None:
    """Write one file for each method, one vector a line."""
    FOLDER.mkdir(exist_ok=True)
    for method, scheme in method_schemes().items():
        lines = ",\n".join(json.dumps(vector) for vector in vectors(method))
        head = f'"about": {json.dumps(_ABOUT)}, "method": "{method}", "scheme": "{scheme}"'
        (FOLDER / f"{method}.json").write_text(f'{{{head}, "vectors": [\n{lines}\n]}}\n', "ascii")


if __name__ == "__main__":
    main()
