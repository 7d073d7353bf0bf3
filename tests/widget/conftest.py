"""A browser, a site with the widget in it, and answers of a real engine."""

import contextlib
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.browser import Tabs
from tests.support.widget_answers import Answers, answers, attacking, sample
from tests.support.widget_pages import Open, address, wait_for
from tests.support.widget_site import Site, serving


@pytest.fixture(scope="session")
def all_answers(cluster_url: str) -> Iterator[dict[str, Answers]]:
    """What an engine answers for the sample and for the attacking documents."""
    from es_simhash.store.elasticsearch.connection import connect

    names = [f"test-{uuid.uuid4().hex}" for _ in range(2)]
    with connect(cluster_url) as client:
        try:
            yield {
                "sample": answers(client, names[0], sample()),
                "attacking": answers(
                    client,
                    names[1],
                    attacking(),
                    link="{address}",
                    entity_fields=("people",),
                ),
            }
        finally:
            client.indices.delete(index=names, ignore_unavailable=True)


@pytest.fixture(scope="session")
def running_site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture
def site(running_site: Site, all_answers: dict[str, Answers]) -> Site:
    """The site, with the answers for the sample."""
    running_site.reset(all_answers["sample"])
    return running_site


@pytest.fixture
def open_page(browser: Any, tabs: Tabs, site: Site) -> Iterator[Open]:
    """Open a page with the widget; errors of its scripts, and of its policy, fail the test."""
    with contextlib.ExitStack() as stack:
        opened = []
        errors: list[str] = []
        listeners = {"pageerror": lambda error: errors.append(str(error))}

        def new_tab(width: int, look: dict[str, str], *, clock: bool) -> Any:
            """Return a page in a process of its own."""
            context = browser.new_context(viewport={"width": width, "height": 700}, **look)
            stack.callback(context.close)
            page = context.new_page()
            page.on("pageerror", listeners["pageerror"])
            if clock:
                # Time stands still but where the test moves it, however slow the machine is.
                page.clock.install(time=0)
                page.clock.pause_at(1_000)
            return page

        def open_one(
            id: str | None,
            state: str = "ready",
            width: int = 800,
            *,
            clock: bool = False,
            fresh: bool = False,
            **more: Any,
        ) -> Any:
            look = {name: more.pop(name) for name in ("color_scheme", "reduced_motion")
                    if name in more}  # fmt: skip
            if clock or fresh:
                page = new_tab(width, look, clock=clock)
            else:
                tab = tabs.open(size=(width, 700), look=look, on=listeners)
                page = stack.enter_context(tab)
            page.set_default_timeout(10_000)
            page.goto(address(site.url, id, **more))
            wait_for(page, state)
            opened.append(page)
            return page

        yield open_one
        assert errors == []
        assert [page.evaluate("window.violations") for page in opened] == [[]] * len(opened)
        assert [page.evaluate("window.attacked") for page in opened] == [None] * len(opened)
        site.gate.set()
