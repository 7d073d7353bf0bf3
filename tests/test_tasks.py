"""Each task of the list in CONTRIBUTING.md is said on a page that is two clicks from the start."""

import re

from scripts.build_site import ROOT
from scripts.check_docs import links

MOST_CLICKS = 2


def tasks() -> list[tuple[str, str]]:
    """Return the tasks of the list, each with the page that says it."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("## What a reader wants to do\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| (?!task |---)([^|]+) \| \[[^\]]+\]\(([^)]+)\) \|$", section, re.M)


def linked(page: str) -> set[str]:
    """Return the pages of the repository that a page links to."""
    found = set()
    for _, target in links((ROOT / page).read_text("utf-8")):
        path = target.partition("#")[0]
        if path.endswith(".md") and "://" not in path:
            found.add(str(((ROOT / page).parent / path).resolve().relative_to(ROOT)))
    return found


def clicks(start: str) -> dict[str, int]:
    """Return how many clicks each page is away from a page."""
    away, border = {start: 0}, {start}
    for number in range(1, MOST_CLICKS + 1):
        border = {page for each in border for page in linked(each)} - away.keys()
        away |= dict.fromkeys(border, number)
    return away


def test_there_are_forty_tasks_and_none_twice() -> None:
    names = [name for name, _ in tasks()]
    assert len(names) >= 40
    assert len(set(names)) == len(names)
    assert {"put the box on my page", "remove it all again"} <= set(names)


def test_each_task_is_within_two_clicks_of_the_start() -> None:
    away = clicks("docs/start.md")
    pages = {target.partition("#")[0] for _, target in tasks()}
    assert sorted(pages - away.keys()) == []


def test_every_page_of_the_documentation_is_within_two_clicks_of_the_start() -> None:
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    # The generated reference of Python is linked from its overview.
    assert sorted(pages - clicks("docs/start.md").keys()) == []
