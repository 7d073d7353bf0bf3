"""The ingest pipeline: fingerprints for writers that are not Python (docs/pipeline.md).

`ingest/simhash@pipeline.json` is complete, so that it can be installed without Python. It is made
of the scripts beside it and of tables from the package's data: `python -m es_simhash.pipeline`.
"""

import copy
import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from es_simhash.errors import InputError
from es_simhash.fingerprints.scheme import DEFAULT, Scheme
from es_simhash.storage import resources
from es_simhash.storage.fields import DEFAULT_FIELD
from es_simhash.text.characters import CODE_POINTS, class_table
from es_simhash.text.limits import MAX_CHUNKS, MAX_TEXT_BYTES
from es_simhash.text.segmentation import sentence_classes

NAME = "simhash@pipeline"
VERSION = 1
DEFAULT_TEXT_FIELD = "text"

_FOLDER = Path(__file__).parents[2] / "ingest"
# In this order they are one script; functions stand before those that call them.
_SCRIPTS = (
    "characters",
    "normalise",
    "content_hash",
    "hashing",
    "tokens",
    "fingerprints",
    "shingles",
    "document",
)

# Bits of a character's properties: class, part in boundaries, not in Unicode 13.0, is folded.
_MARK_SHIFT, _LATER_SHIFT, _FOLDED_SHIFT = np.uint8(3), np.uint8(6), np.uint8(7)
_PAGE = 256
# Properties are written as the character of this number and up, pages as that of the other.
_FIRST_PROPERTY, _FIRST_PAGE = 48, 256
_ASCII = 128


def pipeline_body(
    scheme: Scheme = DEFAULT,
    *,
    field: str = DEFAULT_TEXT_FIELD,
    simhash_field: str = DEFAULT_FIELD,
    ignore_missing: bool = False,
) -> dict[str, Any]:
    """Return the body of the request that installs the pipeline.

    Args:
        scheme: The scheme of the index the documents go to.
        field: Field of the text; dots lead into objects.
        simhash_field: Field that gets our object.
        ignore_missing: Leave documents without text as they are, as Elasticsearch's processors do
            with it; otherwise their status says so.

    Raises:
        InputError: A field has no name that a path can have.
    """
    for name in (field, simhash_field):
        if not all(name.split(".")) or name.startswith("_"):
            raise InputError(f"{name!r} is no name of a field; give one like 'body.text'.")
    body = copy.deepcopy(resources.load("ingest", f"{NAME}.json"))
    script = body["processors"][0]["script"]
    _set_names(script, scheme, field, simhash_field)
    script["params"]["ignore_missing"] = ignore_missing
    return body


def _set_names(script: dict[str, Any], scheme: Scheme, field: str, simhash_field: str) -> None:
    script["params"] |= {
        "scheme": scheme.name,
        "bits": scheme.bits,
        "blocks": scheme.blocks,
        "least_tokens": scheme.min_chunk_tokens,
        "most_tokens": scheme.max_chunk_tokens,
        "window": scheme.window,
        "field": field,
        "simhash_field": simhash_field,
    }
    script["on_failure"][0]["set"]["field"] = simhash_field


def build() -> dict[str, Any]:
    """Return the pipeline of the default scheme, built from the scripts and the package's data."""
    script = {
        "description": "Writes fingerprint, blocks, shingles and chunks of the text.",
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
    _set_names(script, DEFAULT, DEFAULT_TEXT_FIELD, DEFAULT_FIELD)
    return {
        "description": "Fingerprints of es-simhash. Do not edit: made by the package, replaced by "
        "its next version.",
        "version": VERSION,
        "processors": [{"script": script}],
    }


def _failure() -> dict[str, Any]:
    """What is stored when the script itself fails, which it does for no text known.

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
    """Return what the script has to know of characters.

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
        "pages": "".join(chr(_FIRST_PROPERTY + each) for page in pages for each in page),
        "folds": folds,
    }


def _properties(folds: dict[str, str]) -> NDArray[np.uint8]:
    folded = np.zeros(CODE_POINTS, np.uint8)
    folded[[ord(character) for character in folds]] = 1
    properties: NDArray[np.uint8] = (
        class_table("characters.txt")
        | sentence_classes() << _MARK_SHIFT
        | class_table("later_characters.txt") << _LATER_SHIFT
        | folded << _FOLDED_SHIFT
    )
    return properties


def _folds() -> dict[str, str]:
    """Folding of the characters of Unicode 13.0 that NFKC leaves as they are."""
    later = class_table("later_characters.txt")
    known = (chr(code) for code in range(_ASCII, CODE_POINTS) if not later[code])
    return {
        character: character.casefold()
        for character in known
        if character != character.casefold() and unicodedata.is_normalized("NFKC", character)
    }


def main() -> None:
    """Write ingest/simhash@pipeline.json."""
    content = json.dumps(build(), ensure_ascii=False, indent=1)
    (_FOLDER / f"{NAME}.json").write_text(content + "\n", "utf-8")


if __name__ == "__main__":
    main()
