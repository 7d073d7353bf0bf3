"""A line of a shell, typed as a reader would."""

import os
import subprocess
from pathlib import Path

# Variables of whoever runs the tests, which a reader does not have.
OF_TESTS = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "ES_SIMHASH", "MAKE", "COVERAGE")


def typed(line: str, folder: Path, **environment: str) -> str:
    """Type a line in a folder; it succeeds, and what it prints is returned."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OF_TESTS) and name != "ELASTICSEARCH_URL"
    }
    done = subprocess.run(
        ["bash", "--norc", "-c", line],
        cwd=folder,
        env={**kept, "COLUMNS": "80", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, (line, done.stdout)
    return done.stdout
