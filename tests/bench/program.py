"""How a benchmark ends when it cannot run."""

import sys
from collections.abc import Callable

from es_simhash.errors import EsSimhashError


def run(main: Callable[[], int | None]) -> None:
    """Run a benchmark as a program; an error of ours is one sentence and exit status 1."""
    try:
        status = main()
    except EsSimhashError as error:
        sys.exit(f"Error: {error}")
    sys.exit(status)
