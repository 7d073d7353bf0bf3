"""The options that both commands of `tests.fuzz` have."""

import argparse
import time
from collections.abc import Collection

from es_simhash.errors import EsSimhashError


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of `--seed` and `--only`.

    Args:
        description: What the command does.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--only", help="name of a target")
    return parser


def chosen(only: str | None, targets: Collection[str]) -> list[str]:
    """Return the targets that are given input.

    Args:
        only: Value of `--only`.
        targets: Names of all.

    Raises:
        EsSimhashError: There is no such target.
    """
    if only is not None and only not in targets:
        raise EsSimhashError(f"No target {only!r}. Choose one of {', '.join(targets)}.")
    return [*targets] if only is None else [only]
