"""The fenced blocks of the documentation, and the lines of a shell or a session in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.build_site import ROOT, sources

_FENCE = re.compile(r"^( *)```([^\s`]*)[^\n]*\n(.*?)^\1```", re.M | re.S)
_REQUEST = re.compile(r"(GET|PUT|POST|DELETE|HEAD) (\S+)$")
# Languages of what is typed or sent. `json` is a request when its first line is one.
RUNNABLE = ("sh", "console", "python", "pycon", "json")
# What a page shows and nobody runs: output, formulas, and code of other machines and browsers.
SHOWN = ("text", "html", "css", "js", "toml", "ini", "ruby")


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, the number of its first line, its language and its lines."""

    page: str
    line: int
    language: str
    body: str

    @property
    def is_run(self) -> bool:
        """Whether it is to be run, and not only shown."""
        if self.language == "json":
            return self.request is not None
        return self.language in RUNNABLE

    @property
    def request(self) -> tuple[str, str, str] | None:
        """Method, path and body of the request that a block of JSON is."""
        head, _, rest = self.body.partition("\n")
        found = _REQUEST.match(head)
        return (found[1], found[2], rest) if found else None

    @property
    def commands(self) -> list[str]:
        """The lines to be typed, without comments behind them."""
        body = re.sub(r"\\\n\s*", "", self.body)
        lines = body.splitlines()
        if self.language == "console":
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        stripped = (re.split(r"(?:^|\s)#\s", line)[0].strip() for line in lines)
        return [line for line in stripped if line]

    def outputs(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each command of a session with the lines shown below it."""
        typed = self.commands
        shown: list[list[str]] = []
        for line in self.body.splitlines():
            if line.startswith("$ "):
                shown.append([])
            elif line.strip() and line.strip() != "…":
                shown[-1].append(line)
        yield from zip(typed, shown, strict=True)


def pages() -> list[str]:
    """Return the pages of the documentation, relative to the repository."""
    return [str(path) for path in sources() if path.suffix == ".md"]


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    text = Path(ROOT, page).read_text("utf-8")
    found = []
    for match in _FENCE.finditer(text):
        lines = [line.removeprefix(match[1]) for line in match[3].splitlines()]
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(page, line, match[2], "\n".join(lines) + "\n"))
    return found
