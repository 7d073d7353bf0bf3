"""Which tests run on another engine: those that need one, but for those of its differences."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_node.engine import Product, product_of

_VARIABLE = "ES_SIMHASH_ENGINE"
_DOCS = Path(__file__).parents[2] / "docs"
_HEADINGS = {
    "opensearch": "\n## What differs\n",
    "opensearch-2": "\n## What differs\n",
    "elasticsearch-8": "\n## Older Elasticsearch\n",
    "elasticsearch-8.15": "\n## Older Elasticsearch\n",
}
# Fixtures that give the address of an engine: of any, and of one with security.
_ENGINES = frozenset({"cluster_url", "secured_url"})
_TEST = re.compile(r"`(tests/[^`]+)`")


def tested_engine() -> str:
    """Return the name of the engine to run the tests on: `make test ENGINE=opensearch-2`."""
    return os.environ.get(_VARIABLE, "elasticsearch")


def tested_product() -> Product:
    """Return the product of that engine."""
    return product_of(tested_engine())


def select_for(engine: str, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests without an engine, and skip those that the page names for this one."""
    needed = [item for item in items if not _ENGINES.isdisjoint(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(needed)])
    items[:] = needed
    named = dict(differences(engine))
    for item in items:
        name = item.nodeid.partition("[")[0]
        reasons = (reason for test, reason in named.items() if f"{name}::".startswith(f"{test}::"))
        if reason := next(reasons, None):
            item.add_marker(pytest.mark.skip(reason=f"{engine}: {reason}"))


def differences(engine: str) -> Iterator[tuple[str, str]]:
    """Yield the tests, or files of them, in the table of an engine, each with the first cell."""
    _, _, section = (_DOCS / "opensearch.md").read_text("utf-8").partition(_HEADINGS[engine])
    for line in section.partition("\n## ")[0].splitlines():
        if line.startswith("| "):
            reason = line.split("|")[1].strip()
            yield from ((test, reason) for test in _TEST.findall(line))
