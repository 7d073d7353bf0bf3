"""How a benchmark ends when it cannot run, and goes on where a part of it can."""

import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

from es_simhash.errors import EsSimhashError
from tests.support.datasets import MissingData

Measured = TypeVar("Measured")


def run(main: Callable[[], int | None]) -> None:
    """Run a benchmark as a program; an error of ours is one sentence and exit status 1."""
    try:
        status = main()
    except EsSimhashError as error:
        sys.exit(f"Error: {error}")
    sys.exit(status)


def measure(parts: Iterable[Callable[[], Measured]]) -> list[Measured]:
    """Call each part, print to standard error what is left out for want of data, and go on.

    Returns:
        What the parts returned that could run.

    Raises:
        MissingData: None of them could; what the last one needs.
    """
    results, missing = [], []
    for part in parts:
        try:
            results.append(part())
        except MissingData as error:
            missing.append(error)
    if missing and not results:
        raise missing[-1]
    for sentence in dict.fromkeys(map(str, missing)):
        print(f"Left out: {sentence}", file=sys.stderr, flush=True)
    return results
