"""Which tests run on another engine: those that need one, but for those of its differences."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_node.engine import Product, product_of

_VARIABLE = "ES_SIMHASH_ENGINE"
_DOCS = Path(__file__).parents[2] / "docs"
_TEST = re.compile(r"`(tests/[^`]+)`")


def tested_engine() -> str:
    """Return the name of the engine to run the tests on: `make test ENGINE=opensearch-2`."""
    return os.environ.get(_VARIABLE, "elasticsearch")


def tested_product() -> Product:
    """Return the product of that engine."""
    return product_of(tested_engine())


def select_for(product: str, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests without an engine, and skip those that the page of the product names."""
    needed = [item for item in items if "cluster_url" in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(needed)])
    items[:] = needed
    named = dict(differences(product))
    for item in items:
        name = item.nodeid.partition("[")[0]
        reasons = (reason for test, reason in named.items() if f"{name}::".startswith(f"{test}::"))
        if reason := next(reasons, None):
            item.add_marker(pytest.mark.skip(reason=f"{product}: {reason}"))


def differences(product: str) -> Iterator[tuple[str, str]]:
    """Yield the tests, or files of them, in the table of a page, each with the first cell."""
    for line in (_DOCS / f"{product}.md").read_text("utf-8").splitlines():
        if line.startswith("| "):
            reason = line.split("|")[1].strip()
            yield from ((test, reason) for test in _TEST.findall(line))
