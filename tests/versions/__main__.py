"""Whether the essentials work with old and new versions of Python, dependencies and engines.

    python -m tests.versions [--only 3.10] [--record]

For each row of the table an environment is made with uv, and a selection of the tests runs in it:
fingerprints, conformance, ingest, related documents, families and the command line, on a node of
its own. `--record` writes each row into the table of docs/operations.md, in the place of the same
combination, when it has run. A Python that is not there is fetched
by uv, or the row says that it cannot be had. Warnings of old packages do not count.

The exit status is 1 if a test fails.
"""

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from scripts.local_node import node as nodes
from scripts.local_node.distribution import ELASTICSEARCH, RELEASES
from tests.bench.program import run

_ROOT = Path(__file__).parents[2]
PAGE = _ROOT / "docs" / "operations.md"
BEGIN, END = "<!-- make test-versions -->\n", "<!-- end -->\n"
_NODE = "versions"
_TEST_PACKAGES = ("pytest", "pytest-xdist", "hypothesis", "httpx")
_PURE = ("tests/fingerprints", "tests/store/test_conformance.py", "tests/store/test_profiles.py")
_ON_ENGINE = (
    "tests/store/test_semantic_conformance.py",
    "tests/ingestion/test_ingest.py",
    "tests/questions/test_related.py",
    "tests/maintenance/families/test_find_families.py",
    "tests/cli/test_related_by_command.py",
)
_COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
_SHOWN = ("elasticsearch", "numpy")


@dataclass(frozen=True)
class Row:
    """A combination that is tried.

    Attributes:
        python: Version of Python.
        engine: Name of the engine.
        packages: `newest` or `oldest` that are allowed.
        client: Bound of the client; empty for none.
    """

    python: str
    engine: str = "elasticsearch"
    packages: str = "newest"
    client: str = ""


ROWS = (
    Row("3.10", packages="oldest"),
    Row("3.10"),
    Row("3.11"),
    Row("3.12", client="<9"),
    Row("3.12"),
    Row("3.13"),
    Row("3.10", "elasticsearch-8.15", "oldest"),
    Row("3.13", "elasticsearch-8.15", client="<9"),
    Row("3.10", "elasticsearch-8", "oldest"),
    Row("3.12", "elasticsearch-8", client="<9"),
    Row("3.13", "elasticsearch-8"),
    Row("3.13", "opensearch"),
    Row("3.13", "opensearch-2"),
)


class Result(NamedTuple):
    """What came of a row: versions of packages, and how the tests ended."""

    versions: str
    ended: str
    is_good: bool


def main(argv: Sequence[str] | None = None) -> int:
    """Try each row, print the table, and record it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows that have this in their names")
    parser.add_argument("--record", action="store_true", help="write the table into the page")
    options = parser.parse_args(argv)
    chosen = [row for row in ROWS if options.only in f"{row.python} {row.engine} {row.packages}"]
    results = {}
    for engine in sorted({row.engine for row in chosen}):
        with _served(engine) as url:
            for row in (row for row in chosen if row.engine == engine):
                began = time.monotonic()
                results[row] = _tried(row, url)
                print(f"{_line(row, results[row])} {time.monotonic() - began:.0f} s", flush=True)
                if options.record:
                    table = table_of({row: results[row]})
                    PAGE.write_text(recorded(PAGE.read_text("utf-8"), table), "utf-8")
    print(table_of({row: results[row] for row in chosen}))
    return 0 if all(result.is_good for result in results.values()) else 1


@contextmanager
def _served(engine: str) -> Iterator[str]:
    node = nodes.start(f"{_NODE}-{engine}", release=RELEASES[engine], heap="512m", in_memory=True)
    try:
        yield node.url
    finally:
        if node.started:
            nodes.remove(f"{_NODE}-{engine}")


def _tried(row: Row, url: str) -> Result:
    with tempfile.TemporaryDirectory(prefix="versions-") as folder:
        problem = _installed(row, Path(folder) / "env")
        if problem is not None:
            return Result("", problem, False)
        python = str(Path(folder) / "env" / "bin" / "python")
        versions = _versions(python)
        environment = {
            **os.environ,
            "ELASTICSEARCH_URL": url,
            "ES_SIMHASH_ENGINE": row.engine,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        # Without an engine nothing differs by it, so that these tests are not selected there.
        tests = [*_PURE, *_ON_ENGINE] if row.engine.startswith("elastic") else [*_ON_ENGINE]
        line = [python, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist"]
        # Of what a package of years ago does, Python may warn.
        line += ["-o", "filterwarnings=default", "-W", "ignore", "--tb=short", *tests]
        ended = subprocess.run(line, cwd=_ROOT, env=environment, capture_output=True, text=True)
        counts = _COUNTS.findall(ended.stdout)
        if ended.returncode:
            print(ended.stdout[-6_000:], ended.stderr[-2_000:])
        said = ", ".join(f"{count} {what}" for count, what in counts) or "no test ran"
        return Result(versions, said, ended.returncode == 0)


def _installed(row: Row, folder: Path) -> str | None:
    """Make the environment of a row; return why it cannot be had."""
    made = _uv("venv", "--python", _python(row.python), str(folder))
    if made.returncode:
        return f"no Python {row.python} to be had"
    line = [
        "pip",
        "install",
        "--python",
        str(folder / "bin" / "python"),
        "--editable",
        ".[service,chinese,languages]",
    ]
    if row.packages == "oldest":
        line += ["--resolution", "lowest-direct"]
    client = [f"elasticsearch{row.client}"] if row.client else []
    installed = _uv(*line, *client)
    if not installed.returncode:
        # Those that only the tests need are the newest.
        tools = ["pip", "install", "--python", str(folder / "bin" / "python"), *_TEST_PACKAGES]
        installed = _uv(*tools)
    return f"not installable: {installed.stderr.strip()[-300:]}" if installed.returncode else None


def _python(version: str) -> str:
    """Return the newest Python of a version that pyenv has, or its number, for uv to find."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = sorted(root.glob(f"versions/{version}.*/bin/python{version}"))
    return str(found[-1]) if found else version


def _uv(*arguments: str) -> "subprocess.CompletedProcess[str]":
    uv = _ROOT / ".venv" / "bin" / "uv"
    return subprocess.run(
        [str(uv), *arguments], cwd=_ROOT, env=_with_index(), capture_output=True, text=True
    )


def _with_index() -> dict[str, str]:
    """Return the environment, with the package index that pip has where uv is told of none."""
    if "UV_DEFAULT_INDEX" in os.environ:
        return dict(os.environ)
    pip = _ROOT / ".venv" / "bin" / "pip"
    line = [str(pip), "config", "get", "global.index-url"]
    index = (
        os.environ.get("PIP_INDEX_URL")
        or subprocess.run(line, capture_output=True, text=True).stdout.strip()
    )
    return {**os.environ, **({"UV_DEFAULT_INDEX": index} if index else {})}


def _versions(python: str) -> str:
    code = (
        "import importlib.metadata as m, platform; print(platform.python_version(), "
        f"*(m.version(name) for name in {_SHOWN!r}))"
    )
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def table_of(results: "dict[Row, Result]") -> str:
    """Return the rows as a table of a page."""
    names = ("Python", "packages", "client", "numpy", "engine", "tests")
    head = f"| {' | '.join(names)} |\n|{' --- |' * len(names)}\n"
    return head + "".join(f"{_line(row, result)}\n" for row, result in results.items())


def _line(row: Row, result: Result) -> str:
    python, client, numpy = (*result.versions.split(), "–", "–", "–")[:3]
    release = RELEASES[row.engine] or ELASTICSEARCH
    name = "OpenSearch" if row.engine.startswith("opensearch") else "Elasticsearch"
    python = python if result.versions else row.python
    cells = (python, row.packages, client, numpy, f"{name} {release.version}", result.ended)
    return f"| {' | '.join(cells)} |"


def recorded(page: str, table: str) -> str:
    """Return a page with the rows of a table added to its own, each in the place of its like.

    Raises:
        ValueError: It has no place for it.
    """
    before, rest = page.split(BEGIN)
    old, after = rest.split(END, 1)
    head, rows = table.splitlines()[:2], [*old.splitlines()[2:], *table.splitlines()[2:]]
    kept = sorted({_combination(row): row for row in rows}.items())
    lines = "".join(f"{line}\n" for line in (*head, *(row for _, row in kept)))
    return f"{before}{BEGIN}{lines}{END}{after}"


def _combination(line: str) -> tuple[str, ...]:
    """Return what a row of the table is about: versions without those that only mend."""
    python, packages, client, _, engine, _ = (cell.strip() for cell in line.strip("|").split("|"))
    minor = (".".join(version.split(".")[:2]) for version in (engine, python))
    return (*minor, packages, client.partition(".")[0])


if __name__ == "__main__":
    run(main)
