"""The figures of a benchmark, recorded in docs/figures.json for the pages that show them."""

import json
import os
import platform
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.lab.evaluation.evaluation_pages import markdown_table
from es_simhash.lab.evaluation.evaluation_tables import Table
from scripts.figure_tables import slug, with_table

PAGE = Path(__file__).parents[2] / "docs" / "figures.json"
_DIGITS = 6
# Packages that a figure may depend on.
_PACKAGES = ("es-simhash", "elasticsearch", "numpy", "xxhash")


@dataclass
class Figures:
    """What a benchmark measured; `record` writes it down.

    Attributes:
        run: Name of the benchmark; the names of its figures begin with it.
        command: What measures them again.
        engine: The engine it ran on, with its version, if it needs one.
    """

    run: str
    command: str
    engine: str = ""
    values: dict[str, tuple[float, float, float]] = field(default_factory=dict)

    def add(self, name: str, value: float, repeats: Iterable[float] = ()) -> None:
        """Add a figure; its interval is that of its repeats, and a point where there are none."""
        every = [value, *repeats]
        low, high = min(every), max(every)
        self.values[f"{self.run}/{name}"] = (
            round(value, _DIGITS),
            round(low, _DIGITS),
            round(high, _DIGITS),
        )

    def record(self, path: Path = PAGE) -> None:
        """Replace the figures of this benchmark in the file, and how they were measured.

        Raises:
            InputError: It lacks some that are recorded, as where data is missing.
        """
        recorded: dict[str, Any] = {"runs": {}, "figures": {}}
        if path.exists():
            recorded = json.loads(path.read_text("utf-8"))
        before = {name for name, each in recorded["figures"].items() if each["run"] == self.run}
        if missing := sorted(before - self.values.keys()):
            raise InputError(
                f"Nothing is recorded: {len(missing)} figures of {path.name} were not measured, "
                f"such as {missing[0]!r}. Run it with all of the evaluation data."
            )
        kept = {name: each for name, each in recorded["figures"].items() if name not in before}
        ours = {
            name: {"value": value, "low": low, "high": high, "run": self.run}
            for name, (value, low, high) in self.values.items()
        }
        recorded["figures"] = dict(sorted({**kept, **ours}.items()))
        recorded["runs"] = dict(sorted({**recorded["runs"], self.run: self._run()}.items()))
        path.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf-8")

    def _run(self) -> dict[str, Any]:
        return {
            "command": self.command,
            "date": datetime.now(timezone.utc).date().isoformat(),
            "machine": machine(),
            "scheme": DEFAULT.name,
            "versions": {
                "python": platform.python_version(),
                **({"engine": self.engine} if self.engine else {}),
                **{name: version(name) for name in _PACKAGES},
            },
        }


def record_tables(
    figures: Figures,
    page: Path,
    tables: Mapping[str, Table],
    *,
    not_compared: Collection[str] = (),
    path: Path = PAGE,
) -> None:
    """Record the numbers of tables, and write the tables into the page that shows them.

    Args:
        figures: Of the benchmark.
        page: Has a marker for each table (`scripts/figure_tables.py`).
        tables: By their names.
        not_compared: Those whose numbers differ from run to run, and are not recorded.
        path: File of the figures.

    Raises:
        InputError: Some figures that are recorded were not measured.
    """
    text = page.read_text("utf-8")
    for name, table in tables.items():
        # Behind the title and an empty line.
        text = with_table(text, f"{figures.run}/{name}", list(markdown_table(table))[1:])
        for row, *cells in table.rows if name not in not_compared else ():
            for column, cell in zip(table.columns[1:], cells, strict=True):
                if cell not in ("", "–"):
                    figures.add(f"{name}/{slug(row)}/{slug(column)}", float(cell))
    figures.record(path)
    page.write_text(text, "utf-8")


def machine() -> str:
    """Return the processors, their model and the memory of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} × {processor()}, {memory:.0f} GB, {platform.system()}"


def processor() -> str:
    """Return the model of the processors, or else their architecture."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def installed_version(package: str) -> str:
    """Return the version of a package; empty where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
