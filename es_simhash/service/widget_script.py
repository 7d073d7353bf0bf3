"""The web component as it is sent: without comments, at an address that names its content."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from es_simhash.service.responses import Body

NAME = "related-documents.js"
# In the wheel, and in a checkout.
_FOLDERS = (Path(__file__).parents[1] / "widget", Path(__file__).parents[2] / "widget")
_HASH_DIGITS = 12
_COMMENT = re.compile(r"\s*(//.*|/\*.*\*/)")
_LICENCE = "SPDX-License-Identifier"


@dataclass(frozen=True)
class WidgetScript:
    """The script of the widget.

    Attributes:
        body: As it is sent.
        versioned: File name with a hash of the content, which never has another.
    """

    body: Body
    versioned: str

    @classmethod
    def of(cls, source: str) -> "WidgetScript":
        """Return the script of a source."""
        content = slimmed(source).encode()
        digest = hashlib.sha256(content).hexdigest()[:_HASH_DIGITS]
        return cls(Body.of(content), f"{Path(NAME).stem}-{digest}.js")


@cache
def widget_script() -> WidgetScript | None:
    """Return the script; None where this installation has none."""
    files = (folder / NAME for folder in _FOLDERS)
    file = next((file for file in files if file.is_file()), None)
    return None if file is None else WidgetScript.of(file.read_text("utf-8"))


def slimmed(source: str) -> str:
    """Return a script without lines that are comments, but for the licence, and indentation."""
    lines = (
        line.strip()
        for line in source.splitlines()
        if _LICENCE in line or not _COMMENT.fullmatch(line)
    )
    return "\n".join(filter(None, lines)) + "\n"
