"""The first run as the README says it, typed in an empty environment: how soon there is a page.

    python -m tests.bench.first_run [--record]

Two ways, each with 200 documents of one's own, in fields of one's own: a clone, in which `make
demo` gets packages and an Elasticsearch; and a wheel in an environment of its own, beside the
cluster that is there now. Nothing that was downloaded before is used. The clock runs until the
explorer shows both versions of a document. `--record` writes the table to docs/start.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from es_simhash.lab.evaluation.evaluation_pages import markdown_table
from es_simhash.lab.evaluation.evaluation_tables import Table
from tests.bench.figures import Figures, record_tables
from tests.bench.program import run
from tests.support.clone import ROOT
from tests.support.made_up_texts import make_text, revise
from tests.support.terminal import Terminal

_PAGE = ROOT / "docs" / "start.md"
_COMMAND = "make bench-first-run"
_DOCUMENTS = 200
_CORPUS = "minutes.jsonl"
# The least that has to be on the page: both titles of a document and its revision.
_SHOWN = ("Minutes of meeting 1", "Minutes of meeting 1, as corrected")
_MOST_SECONDS = 1_200


def write_corpus(path: Path) -> None:
    """Write documents of which each second is a revision of the one before."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, _DOCUMENTS // 2 + 1):
            text, title = make_text(number, 300), f"Minutes of meeting {number}"
            old = {"id": f"{number}-a", "heading": title, "minutes": text}
            new = {
                "id": f"{number}-b",
                "heading": f"{title}, as corrected",
                "minutes": revise(text, number, 0.05),
            }
            file.writelines(json.dumps(each) + "\n" for each in (old, new))


def empty_environment(folder: Path) -> dict[str, str]:
    """Return variables with which nothing that this machine has downloaded is used again."""
    return {
        "ES_SIMHASH_HOME": str(folder / "home"),
        "PIP_NO_CACHE_DIR": "1",
        "UV_NO_CACHE": "1",
        "MAVEN_OPTS": f"-Dmaven.repo.local={folder / 'maven'}",
        "VIRTUAL_ENV": "",
        "TERM": "dumb",
    }


class Clock:
    """Seconds of steps, one after the other."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self._last = time.monotonic()

    def note(self, step: str) -> None:
        """End a step; the next one begins."""
        now = time.monotonic()
        self.steps[step] = now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds of all steps."""
        return sum(self.steps.values())


def type_line(line: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Type a line into a shell, and return what it prints."""
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**os.environ, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"`{line}` ended with status {done.returncode}: {done.stdout[-2_000:]}")
    return done.stdout


@contextmanager
def explored(line: str, folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Type a line that serves the explorer, yield its address, and end it with Ctrl-C."""
    terminal = Terminal(["bash", "-c", line], environment, folder)
    try:
        terminal.read(lambda: "(Ctrl-C stops)" in terminal.shown, _MOST_SECONDS)
        found = re.search(r"http://127\.0\.0\.1:\d+/explorer/", terminal.shown)
        if found is None:
            sys.exit(f"`{line}` serves no explorer: {terminal.shown[-2_000:]}")
        yield found[0]
        terminal.type(b"\x03")
        terminal.end()
    finally:
        terminal.close()


def require_versions(address: str) -> None:
    """Open the page of a document, as the explorer's list links it, and look for its versions."""
    with urlopen(f"{address}documents/1-a", timeout=60) as answer:
        page = answer.read().decode()
    if missing := [title for title in _SHOWN if title not in page]:
        sys.exit(f"{address} does not show {missing[0]!r}.")


def in_a_clone(clone: Path, environment: Mapping[str, str]) -> Clock:
    """Type what the README says into a fresh clone; its node goes on running."""
    clock = Clock()
    type_line(f"git clone --quiet {ROOT} {clone}", ROOT, environment)
    clock.note("git clone")
    write_corpus(clone / _CORPUS)
    type_line("make .venv/.demo", clone, environment)
    clock.note("packages")
    type_line("make node", clone, environment)
    clock.note("Elasticsearch, downloaded and started")
    with explored(f"make demo CORPUS={_CORPUS} FIELD=minutes", clone, environment) as address:
        clock.note("documents, families and explorer")
        require_versions(address)
        clock.note("page of a document")
    return clock


def with_a_wheel(folder: Path, clone: Path, environment: Mapping[str, str], url: str) -> Clock:
    """Install the wheel with the service, and explore the corpus in a cluster that is there."""
    type_line(
        f"{sys.executable} -m pip wheel --quiet --no-deps -w {folder} {clone}", folder, environment
    )
    (wheel,) = folder.glob("es_simhash-*.whl")
    write_corpus(folder / _CORPUS)
    clock = Clock()
    type_line(f"{sys.executable} -m venv venv", folder, environment)
    type_line(f"venv/bin/pip install --quiet '{wheel}[service]'", folder, environment)
    clock.note("packages")
    line = f"venv/bin/es-simhash demo --url {url} --corpus {_CORPUS} --text-field minutes"
    with explored(line, folder, environment) as address:
        clock.note("documents, families and explorer")
        require_versions(address)
        clock.note("page of a document")
    return clock


def seconds_table(ways: Mapping[str, Clock]) -> Table:
    """Return the seconds of each step and way, and their sum."""
    steps = dict.fromkeys(step for clock in ways.values() for step in clock.steps)
    seconds = {step: [clock.steps.get(step) for clock in ways.values()] for step in steps} | {
        "all": [clock.total for clock in ways.values()]
    }
    rows = (
        (step, *("–" if each is None else f"{each:.0f}" for each in row))
        for step, row in seconds.items()
    )
    return Table("Seconds", ("step", *ways), tuple(rows))


def main(argv: Sequence[str] | None = None) -> None:
    """Measure both ways and print their seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(argv)
    os.environ.pop("ELASTICSEARCH_URL", None)
    with tempfile.TemporaryDirectory(prefix="first-run-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # A node that root starts runs as another user.
        environment, clone = empty_environment(folder), folder / "es-simhash"
        try:
            ways = {"clone": in_a_clone(clone, environment)}
            find = ".venv/bin/python -m scripts.local_node find"
            url = type_line(find, clone, environment).split()[-1]
            ways["wheel"] = with_a_wheel(folder, clone, environment, url)
        finally:
            if (clone / "Makefile").exists():
                type_line("make node-stop", clone, environment)
    table = seconds_table(ways)
    print("\n".join(markdown_table(table)))
    if options.record:
        record_tables(
            Figures("first-run", _COMMAND), _PAGE, {"seconds": table}, not_compared={"seconds"}
        )


if __name__ == "__main__":
    run(main)
