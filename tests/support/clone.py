"""A fresh clone of the checkout, with the environment that `make` builds, and lines typed in it."""

import fcntl
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from es_simhash.store.elasticsearch.connection import connect

ROOT = Path(__file__).parents[2]
# After each line: its status, on a line that nothing else prints.
_MARK = "<<typed {status}>>"
_MARKS = re.compile(r"\n<<typed (\d+)>>\n")
# As pip writes it.
_PROGRAM = """#!{python}
import sys
from es_simhash.cli import main

if __name__ == "__main__":
    sys.exit(main())
"""


@dataclass(frozen=True)
class Typed:
    """A line that was typed, its exit status, and what it printed on both streams."""

    line: str
    status: int
    printed: str


@dataclass(frozen=True)
class Clone:
    """A copy of the files under version control, as they are now."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> "Clone":
        """Copy the files into a folder, which is created.

        Its `.venv` has the packages that run the tests in place of those that `make` installs, and
        imports the code from the copy. What Python has compiled already is copied too: bytecode is
        used only for the very file that it was made of.
        """
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                _copy(ROOT / name, folder / name)
                for compiled in _compiled(ROOT / name):
                    _copy(compiled, (folder / name).parent / "__pycache__" / compiled.name)
        _make_environment(folder)
        return cls(folder)

    def type(self, lines: Sequence[str], environment: Mapping[str, str]) -> list[Typed]:
        """Type lines into one shell, one after the other, and return what came of each."""
        mark = _MARK.format(status="$?")
        script = "".join(f"{line}\nprintf '\\n%s\\n' \"{mark}\"\n" for line in lines)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "PYTEST", "VIRTUAL_ENV", "ES_SIMHASH", "MAKE"))
        }
        done = subprocess.run(
            ["bash", "--norc"],
            input=script,
            cwd=self.folder,
            env={**kept, "COLUMNS": "80", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        printed = _MARKS.split(done.stdout)
        results = zip(lines, printed[1::2], printed[::2], strict=False)
        return [Typed(line, int(status), text) for line, status, text in results]


@contextmanager
def reserved_indices(
    cluster_url: str, names: Sequence[str], page: str, without_cluster: Callable[[str], NoReturn]
) -> Iterator[None]:
    """Keep the indices that a page names for one session: none of somebody else's is touched.

    Args:
        cluster_url: Address of the engine.
        names: The indices; they are deleted at the end.
        page: What names them, such as `README`.
        without_cluster: Skips the tests, where one is there already and not of the tests' own.
    """
    lock = f"es-simhash-{page}-{sha256(cluster_url.encode()).hexdigest()[:12]}.lock"
    with (Path(tempfile.gettempdir()) / lock).open("w") as held, connect(cluster_url) as client:
        # Sessions that run at the same time wait for each other.
        fcntl.flock(held, fcntl.LOCK_EX)
        for index in names:
            if not client.indices.exists(index=index):
                continue
            if "ELASTICSEARCH_URL" in os.environ:
                without_cluster(f"index {index!r} of the {page} is in the cluster; delete it")
            # On the node of the tests a session that was killed has left it.
            client.indices.delete(index=index)
        yield
        for index in names:
            client.indices.delete(index=index, ignore_unavailable=True)


def _copy(source: Path, target: Path) -> None:
    """Copy a file with its time, which bytecode is compared with."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _compiled(source: Path) -> list[Path]:
    """Return the bytecode of a module; other processes write theirs under another name first."""
    if source.suffix != ".py":
        return []
    return list((source.parent / "__pycache__").glob(f"{source.stem}.*.pyc"))


def _make_environment(folder: Path) -> None:
    environment = folder / ".venv"
    venv.create(environment, symlinks=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    lines = [str(folder), *(f"import site; site.addsitedir({each!r})" for each in _site_folders())]
    (packages / "tests.pth").write_text("\n".join(lines) + "\n", "utf-8")
    program = environment / "bin" / "es-simhash"
    program.write_text(_PROGRAM.format(python=environment / "bin" / "python"), "utf-8")
    program.chmod(0o755)
    # What make builds the environment for; it is not older than what it is built from.
    for stamp in (".demo", ".installed"):
        (environment / stamp).touch()


def _site_folders() -> list[str]:
    return [
        each for each in [*site.getsitepackages(), site.getusersitepackages()] if each in sys.path
    ]
