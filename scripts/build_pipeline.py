"""Write ingest/simhash@pipeline.json from the scripts beside it and tables of the package's data.

python -m scripts.build_pipeline
"""

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.pipeline import NAME, set_names
from es_simhash.text.characters import class_table
from es_simhash.text.limits import MAX_CHUNKS, MAX_TEXT_BYTES
from es_simhash.text.segmentation import sentence_classes

VERSION = 2

_FOLDER = Path(__file__).parents[1] / "ingest"
# In this order they are one script; functions stand before those that call them.
_SCRIPTS = (
    "characters",
    "normalise",
    "content_hash",
    "hashing",
    "tokens",
    "fingerprints",
    "shingles",
    "sketch",
    "document",
)

# Bits of a character's properties: class, part in boundaries, not in Unicode 13.0, is folded.
_MARK_SHIFT, _LATER_SHIFT, _FOLDED_SHIFT = np.uint8(3), np.uint8(6), np.uint8(7)
_PAGE = 256
# Properties are written as the character of this number and up, pages as that of the other.
_FIRST_PROPERTY, _FIRST_PAGE = 48, 256
_CODE_POINTS = 0x110000
_ASCII = 128


def build() -> dict[str, Any]:
    """Return the pipeline of the default scheme, built from the scripts and the package's data."""
    script = {
        "description": "Writes fingerprint, blocks, shingles, chunks and sketch of the text.",
        "lang": "painless",
        "source": _source(),
        "params": {
            "ignore_missing": False,
            "longest_text": MAX_TEXT_BYTES,
            "most_chunks": MAX_CHUNKS,
            **tables(),
        },
        "on_failure": [{"set": _failure()}],
    }
    set_names(script)
    return {
        "description": "Fingerprints of es-simhash. Do not edit: made by the package, replaced by "
        "its next version.",
        "version": VERSION,
        "processors": [{"script": script}],
    }


def _failure() -> dict[str, Any]:
    """Return what is stored when the script itself fails, which it does for no text known.

    Where even that finds no room, the document is written without it.
    """
    reason = "The script failed: {{{ _ingest.on_failure_message }}}."
    return {
        "field": DEFAULT_FIELD,
        "value": {"status": "failed", "error": reason},
        "ignore_failure": True,
    }


def _source() -> str:
    return "".join((_FOLDER / f"{name}.painless").read_text("ascii") for name in _SCRIPTS)


def tables() -> dict[str, Any]:
    """Return what the script needs to know of characters.

    Returns:
        `folds`, what case folding makes of a character beyond ASCII, and the properties of all code
        points in `pages` of 256, equal ones stored once: `index` has the page of each 256.
    """
    folds = _folds()
    properties = _properties(folds).reshape(-1, _PAGE)
    pages: dict[bytes, int] = {}
    index = [pages.setdefault(page.tobytes(), len(pages)) for page in properties]
    return {
        "index": "".join(chr(_FIRST_PAGE + number) for number in index),
        "pages": "".join(chr(_FIRST_PROPERTY + value) for page in pages for value in page),
        "folds": folds,
    }


def _properties(folds: dict[str, str]) -> NDArray[np.uint8]:
    folded = np.zeros(_CODE_POINTS, np.uint8)
    folded[[ord(character) for character in folds]] = 1
    properties: NDArray[np.uint8] = (
        class_table("characters.txt")
        | sentence_classes() << _MARK_SHIFT
        | class_table("later_characters.txt") << _LATER_SHIFT
        | folded << _FOLDED_SHIFT
    )
    return properties


def _folds() -> dict[str, str]:
    """Return the case folding of the characters of Unicode 13.0 that NFKC leaves as they are."""
    later = class_table("later_characters.txt")
    known = (chr(code) for code in range(_ASCII, _CODE_POINTS) if not later[code])
    return {
        character: character.casefold()
        for character in known
        if character != character.casefold() and unicodedata.is_normalized("NFKC", character)
    }


def main() -> None:
    """Write the file."""
    content = json.dumps(build(), ensure_ascii=False, indent=1)
    (_FOLDER / f"{NAME}.json").write_text(content + "\n", "utf-8")


if __name__ == "__main__":
    main()
