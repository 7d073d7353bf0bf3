"""No block of the documentation is left that nobody runs, but for those listed here with a reason.

A new block of commands, Python or a request fails here until a test runs it, or it is marked as an
excerpt of output: as `text`, or as JSON that does not begin with a request.
"""

import json
import re
from pathlib import Path

import pytest

from scripts.build_site import ROOT
from tests import test_how_to, test_pages_typed, test_tutorials
from tests.support.page_blocks import RUNNABLE, SHOWN, Block, blocks, pages

# The test that runs all blocks of a page.
RUN_BY = {
    "README.md": "tests/test_readme_typed.py",
    "docs/start.md": "tests/test_readme_typed.py",
    "docs/connections.md": "tests/cli/test_connection_command.py",
    "docs/experiments.md": "tests/experiments/test_run.py",
    "docs/install.md": "tests/test_pages_typed.py",
    "docs/operations.md": "tests/test_operations_page.py",
    "docs/plan.md": "tests/cli/test_plan_command.py",
    "docs/privileges.md": "tests/cli",
    "docs/python.md": "tests/test_readme.py",
    "docs/service.md": "tests/test_pages_typed.py",
    "docs/spark.md": "tests/spark/test_frames.py",
    "docs/your-search.md": "tests/maintenance/families/test_your_search.py",
    "examples/django/README.md": "tests/examples",
    "examples/kibana/README.md": "tests/examples",
    "examples/newsroom/README.md": "tests/examples",
    "examples/server-side/README.md": "tests/examples",
    "examples/react/README.md": "tests/examples",
    "examples/static/README.md": "tests/examples",
    **{f"docs/tutorials/{name}.md": "tests/test_tutorials.py" for name in test_tutorials.TUTORIALS},
    **{f"docs/how-to/{name}.md": "tests/test_how_to.py" for name in test_how_to.PAGES},
    **{f"docs/{name}.md": "tests/test_pages_typed.py" for name in test_pages_typed.PAGES},
}
# Single blocks that a test runs, by the beginning of their first line.
PARTS = {
    "docs/pipeline.md": ("tests/store/test_pipeline.py", ("curl", "PUT", "POST")),
}
# Page, how many of its other blocks nobody runs as they stand, and why. This list only shrinks.
NOT_RUN = {
    "CONTRIBUTING.md": (2, "`make test` runs this test; the README's own lines are typed"),
    "docker/README.md": (3, "needs Docker; tests/docker runs the steps of the Dockerfile"),
    "docs/pipeline.md": (1, "installs into an Elasticsearch with Painless, which needs Docker"),
}


def runnable(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.is_run]


def test_there_are_pages_and_blocks() -> None:
    found = [block for page in pages() for block in runnable(page)]
    assert len(pages()) > 35
    assert len(found) > 80


@pytest.mark.parametrize("page", pages())
def test_every_block_is_run_or_is_listed(page: str) -> None:
    found = runnable(page)
    if page in RUN_BY:
        assert page not in NOT_RUN, "a page is run, or it is not"
        assert (ROOT / RUN_BY[page]).exists()
    elif page in NOT_RUN:
        count, reason = NOT_RUN[page]
        assert reason
        test, starts = PARTS.get(page, ("tests", ()))
        assert (ROOT / test).exists()
        found = [block for block in found if not block.body.startswith(starts)]
        assert len(found) == count, [f"{page}:{block.line}" for block in found]
    else:
        assert [f"{page}:{block.line} is run by no test" for block in found] == []


@pytest.mark.parametrize("page", pages())
def test_every_block_has_a_language_that_says_whether_it_is_run(page: str) -> None:
    for block in blocks(page):
        where = f"{page}:{block.line}"
        assert block.language in (*RUNNABLE, *SHOWN), f"{where} has no language that is known"
        if block.language == "json" and block.request is None:
            json.loads(block.body)
        if block.language in SHOWN and page != "docs/cli.md":
            assert not re.search(r"^(\$ |es-simhash |curl )", block.body, re.M), (
                f"{where} shows a command in a block that is not run"
            )


def test_the_lists_name_pages_that_are_there() -> None:
    assert set(RUN_BY) | set(NOT_RUN) <= set(pages())
    assert set(PARTS) <= set(NOT_RUN)


def test_a_new_block_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "new.md"
    page.write_text("# New\n\n- A list\n\n  ```sh\n  es-simhash status x\n  ```\n", "utf-8")
    with pytest.raises(AssertionError, match=r"new.md:6 is run by no test"):
        test_every_block_is_run_or_is_listed(str(page))
    page.write_text("# New\n\n```text\nes-simhash status x\n```\n", "utf-8")
    with pytest.raises(AssertionError, match="in a block that is not run"):
        test_every_block_has_a_language_that_says_whether_it_is_run(str(page))
