"""Results as Markdown and pictures, in a folder of their own and in the documentation."""

import os
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.curve_pictures import Picture
from es_simhash.lab.evaluation.evaluation_pages import markdown_table
from tests.bench.experiments.model import Result
from tests.bench.figures import installed_version, processor

_PACKAGES = ("numpy", "xxhash", "datasketch", "scikit-learn", "rapidfuzz", "jieba", "matplotlib")
MACHINE = "machine"


def markdown(result: Result) -> str:
    """Return the notes and tables of a result."""
    lines = [" ".join(result.notes), ""]
    for table in result.tables:
        lines += [*markdown_table(table), ""]
    return "\n".join(lines).strip()


def plot_names(name: str, result: Result) -> dict[str, Picture]:
    """Return the plots of an experiment by the names of their files, without their ends."""
    return {
        f"experiments-{name}{f'-{part}' if part else ''}": plot
        for part, plot in result.plots.items()
    }


def check_places(folder: Path, page: Path | None, names: Iterable[str]) -> None:
    """Make the folder of results, and check that a page has blocks, before minutes are spent.

    Raises:
        InputError: There is no such folder and none can be made, or the page lacks a block.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write to folder {folder}: {error.strerror}. Set --output."
        ) from None
    if page is not None:
        _replaced(page, dict.fromkeys(names, ""))


def write(folder: Path, name: str, result: Result) -> None:
    """Write the tables and plots of an experiment into a folder."""
    pictures = plot_names(name, result)
    shown = "\n\n".join(f"![{picture}]({picture}.svg)" for picture in pictures)
    (folder / f"experiments-{name}.md").write_text(f"{markdown(result)}\n\n{shown}\n", "utf-8")
    for picture, plot in pictures.items():
        (folder / f"{picture}.svg").write_text(plot.svg, "utf-8")
        (folder / f"{picture}.png").write_bytes(plot.png)


def update(page: Path, blocks: Mapping[str, str]) -> None:
    """Replace blocks of a page, which stand between `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises:
        InputError: The page cannot be read, or has no such block.
    """
    page.write_text(_replaced(page, blocks), "utf-8")


def _replaced(page: Path, blocks: Mapping[str, str]) -> str:
    try:
        text = page.read_text("utf-8")
    except OSError as error:
        raise InputError(f"Cannot read page {page}: {error.strerror}. Set --page.") from None
    for name, block in blocks.items():
        head, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, tail = rest.partition(f"<!-- end of {name} -->")
        if not end:
            raise InputError(f"Page {page} has no block <!-- {name} -->. Add one.")
        text = f"{head}{start}{block}\n{end}{tail}"
    return text


def machine(seconds: float, names: Iterable[str]) -> str:
    """Return on what a run of experiments was made, as one sentence."""
    versions = {name: installed_version(name) for name in _PACKAGES}
    packages = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return (
        f"{', '.join(names)}: {seconds:.0f} s in two processes on {os.cpu_count()} processors "
        f"({processor()}), Python {platform.python_version()}, {packages}."
    )
