"""Check the pages of the documentation: links lead somewhere, figures are up to date, tables whole.

    python -m scripts.check_docs [--external] [--write]

A figure is a number behind a marker, as in `<!-- figure: versions/mean/f1 -->0.960`, or in a marked
table (`scripts/figure_tables.py`). It is compared with docs/figures.json, which benchmarks write
with `--record`. `--external` also asks other hosts whether what they are linked for is there.
`--write` first puts the recorded figures in place of those behind markers; read the sentences that
they stand in.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import unquote
from urllib.request import Request, urlopen

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from scripts.build_site import ROOT, sources
from scripts.figure_tables import slug, table_cells, tables_of

FIGURES = Path("docs") / "figures.json"
_FENCE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_LINKS = (
    re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)"),
    re.compile(r"^\[[^\]]+\]:\s*(\S+)", re.M),
    re.compile(r"<(?:img|a|source)\b[^>]*?\b(?:src|srcset|href)=\"([^\"]+)\""),
)
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.M)
_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
_MARKER = re.compile(r"<!-- figure: *(\S*?) *-->([^\d\n|<]{0,4}([\d,]*\d(?:\.\d+)?)( ?%)?)?")
# Addresses of the reader's own machine, and of examples.
_INTERVAL = re.compile(r" \(-?[\d.]+ to -?[\d.]+\)")
_NO_HOST = re.compile(r"https?://(localhost|127\.|[\w.-]*example\.(org|com)|my[.-])")
_TIMEOUT = 20
# Between two cells of a table.
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Fault:
    """What is wrong in a line of a page."""

    page: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.message}"


def anchors(text: str) -> set[str]:
    """Return the anchors of a page."""
    found: set[str] = set(_ANCHOR.findall(text))
    counts: dict[str, int] = {}
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        name = slug(heading)
        number = counts.get(name, 0)
        counts[name] = number + 1
        found.add(f"{name}-{number}" if number else name)
    return found


def links(text: str) -> Iterator[tuple[int, str]]:
    """Yield the links of a page, with the numbers of their lines."""
    blank = _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    blank = _CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), blank)
    for pattern in _LINKS:
        for match in pattern.finditer(blank):
            yield blank.count("\n", 0, match.start(1)) + 1, match[1]


def link_faults(root: Path, pages: Sequence[str]) -> Iterator[Fault]:
    """Yield the links within the repository that lead nowhere."""
    for page in pages:
        for line, target in links((root / page).read_text("utf-8")):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, _, anchor = unquote(target).partition("#")
            there = (root / page).parent / path if path else root / page
            if not there.exists():
                yield Fault(page, line, f"no file {target!r}; correct the link")
            elif not there.resolve().is_relative_to(root.resolve()):
                yield Fault(page, line, f"{target!r} is outside the repository; link what is in it")
            elif anchor and there.suffix == ".md" and anchor not in anchors(_text(there)):
                yield Fault(page, line, f"no heading for {target!r}; correct the anchor")


def table_faults(root: Path, pages: Sequence[str]) -> Iterator[Fault]:
    """Yield the rows of tables with more or fewer cells than the columns."""
    for page in pages:
        text = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), _text(root / page))
        columns = 0
        for number, line in enumerate(text.splitlines(), 1):
            cells = len(_CELL.findall(line.strip().removeprefix("|").removesuffix("|"))) + 1
            if not line.lstrip().startswith("|"):
                columns = 0
            elif not columns:
                columns = cells
            elif cells != columns:
                yield Fault(page, number, f"a row of {cells} cells in a table of {columns} columns")


def figure_faults(root: Path, pages: Sequence[str], scheme: str) -> Iterator[Fault]:
    """Yield the figures of the pages that are not those that were recorded."""
    recorded = json.loads(_text(root / FIGURES))
    for page in pages:
        text = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), _text(root / page))
        for match in _MARKER.finditer(text):
            message = _stale(recorded, match[1], match[3], bool(match[4]), scheme)
            if message:
                yield Fault(page, text.count("\n", 0, match.start()) + 1, message)
        cells = list(table_cells(text))
        for cell in cells:
            message = _stale(recorded, cell.name, cell.shown, cell.is_percent, scheme)
            if message:
                yield Fault(page, cell.line, message)
        shown = {cell.name for cell in cells}
        for table in tables_of(text):
            for name in sorted(recorded["figures"]):
                if name.startswith(f"{table}/") and name not in shown:
                    yield Fault(page, 1, f"figure {name!r} is not in its table; add it")


def _stale(
    recorded: dict[str, Any], name: str, shown: str | None, is_percent: bool, scheme: str
) -> str:
    """Return what is wrong with a figure as it is shown; nothing when it is up to date."""
    figure = recorded["figures"].get(name)
    if figure is None:
        return f"figure {name!r} is not in {FIGURES}; record it with its benchmark"
    run = recorded["runs"][figure["run"]]
    if run["scheme"] != scheme:
        return (
            f"figure {name!r} was measured with scheme {run['scheme']!r}, and the default is "
            f"{scheme!r}; run {run['command']}"
        )
    if shown is None:
        return f"no number behind the marker of figure {name!r}; write {figure['value']:g} there"
    value, scale = float(shown.replace(",", "")), 100 if is_percent else 1
    digits = len(shown.partition(".")[2])
    # Half of the last digit, for rounding, and what a float cannot hold.
    half = 0.5 * 10**-digits + 1e-9
    if figure["low"] * scale - half <= value <= figure["high"] * scale + half:
        return ""
    return (
        f"figure {name!r} is {shown} here and {figure['value'] * scale:.{digits}f} in {FIGURES} "
        f"({run['date']}, from {figure['low'] * scale:g} to {figure['high'] * scale:g}); "
        "correct the page"
    )


def with_figures(text: str, recorded: dict[str, Any]) -> str:
    """Return a page with the recorded figures, and their intervals, behind its markers."""
    parts, end = [], 0
    for match in _MARKER.finditer(text):
        figure = recorded["figures"].get(match[1])
        if figure is None or match[3] is None or match.start() < end:
            continue
        scale = 100 if match[4] else 1
        digits = len(match[3].partition(".")[2])
        shown = {key: f"{figure[key] * scale:,.{digits}f}" for key in ("value", "low", "high")}
        parts += [text[end : match.start(3)], shown["value"], text[match.end(3) : match.end()]]
        end = match.end()
        interval = _INTERVAL.match(text, end)
        if interval is not None:
            parts.append(f" ({shown['low']} to {shown['high']})")
            end = interval.end()
    return "".join([*parts, text[end:]])


def write_figures(root: Path, pages: Sequence[str]) -> None:
    """Write the recorded figures into pages that show others."""
    recorded = json.loads(_text(root / FIGURES))
    for page in pages:
        text = _text(root / page)
        if (current := with_figures(text, recorded)) != text:
            (root / page).write_text(current, "utf-8")


def external_faults(root: Path, pages: Sequence[str]) -> Iterator[Fault]:
    """Yield the links to other hosts that do not answer with a page."""
    places: dict[str, tuple[str, int]] = {}
    for page in pages:
        for line, target in links(_text(root / page)):
            if target.startswith(("http://", "https://")) and not _NO_HOST.match(target):
                places.setdefault(target.partition("#")[0], (page, line))
    with ThreadPoolExecutor(8) as pool:
        for target, reason in zip(places, pool.map(_unreachable, places), strict=True):
            if reason:
                yield Fault(*places[target], f"{target} does not answer ({reason}); correct it")


def _unreachable(address: str) -> str:
    request = Request(address, headers={"User-Agent": "Mozilla/5.0 (link check)"})
    try:
        with urlopen(request, timeout=_TIMEOUT):
            return ""
    except HTTPError as error:
        # Asked not to come, or too often: the page is there.
        return "" if error.code in (401, 403, 429) else f"HTTP {error.code}"
    except OSError as error:
        return str(error)


def _text(path: Path) -> str:
    return path.read_text("utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Print each fault; exit status 1 when there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--external", action="store_true", help="also ask other hosts")
    parser.add_argument("--write", action="store_true", help="write the recorded figures first")
    options = parser.parse_args(argv)
    pages = [str(path) for path in sources() if path.suffix == ".md"]
    if options.write:
        write_figures(ROOT, pages)
    faults = [
        *link_faults(ROOT, pages),
        *table_faults(ROOT, pages),
        *figure_faults(ROOT, pages, DEFAULT.name),
    ]
    if options.external:
        faults += external_faults(ROOT, pages)
    for fault in faults:
        print(fault)
    print(f"{len(pages)} pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
