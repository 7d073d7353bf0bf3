"""Chromium, driven by Playwright: for pages and the widget."""

import asyncio
import fcntl
import importlib.util
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from es_simhash.errors import EsSimhashError
from scripts.local_node.java import apt_install

# A phone and a wide window, each in the dark and in the light.
LAYOUTS = tuple((width, scheme) for width in (320, 1400) for scheme in ("dark", "light"))
_END_TRANSITIONS = """document.getAnimations()
  .filter((each) => each instanceof CSSTransition).forEach((each) => each.finish())"""


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium without a window.

    Raises:
        EsSimhashError: Playwright or Chromium is not installed.
    """
    path = _program() or _installed_program()
    if path is None:
        raise EsSimhashError(
            "Chromium is not installed. Install it (on Debian: apt-get install chromium), or name "
            "its program in CHROMIUM."
        )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise EsSimhashError("playwright is not installed. Run pip install -e '.[dev]'.") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def _program() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def _installed_program() -> str | None:
    """Install Chromium where that is possible, as root on Debian; one process of several does."""
    with (Path(tempfile.gettempdir()) / "es-simhash-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _program() is None:
            # Without the font, Chinese in the pictures is a row of boxes.
            apt_install("chromium fonts-noto-cjk")
    return _program()


def _without_browser(reason: str) -> NoReturn:
    if os.environ.get("ES_SIMHASH_REQUIRE_BROWSER") == "1":
        pytest.fail(f"ES_SIMHASH_REQUIRE_BROWSER=1, but: {reason}", pytrace=False)
    pytest.skip(f"no browser: {reason}")


@pytest.fixture(scope="session")
def _chromium() -> Iterator[Any]:
    """Chromium, installed where that is possible; else the tests say what to install.

    It is closed with the session: its start costs as much as the tests of many a module. Its event
    loop is the running one for the tests of a module that uses it, and for no others, which may
    have one of their own.
    """
    if importlib.util.find_spec("axe_playwright_python") is None:
        _without_browser("axe-playwright-python is missing. Run pip install -e '.[dev]'.")
    with ExitStack() as stack:
        try:
            started = stack.enter_context(chromium())
        except EsSimhashError as error:
            _without_browser(str(error))
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield started, loop
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="module")
def browser(_chromium: Any) -> Iterator[Any]:
    """The browser of the session, for the tests of a module."""
    started, loop = _chromium
    asyncio._set_running_loop(loop)
    yield started
    asyncio._set_running_loop(None)


class Tabs:
    """Tabs of a browser that are used again: the process of a new one costs more than most pages.

    Each use begins with an empty page, of the size and look that is asked for, without cookies and
    without what the one before listened to.
    """

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: dict[tuple[bool, bool], list[Any]] = defaultdict(list)

    @contextmanager
    def open(
        self,
        *,
        size: tuple[int, int] = (1280, 720),
        look: Mapping[str, str] | None = None,
        bypass_csp: bool = False,
        scripts: bool = True,
        on: Mapping[str, Callable[[Any], object]] | None = None,
    ) -> Iterator[Any]:
        """Give an empty page during the block.

        Args:
            size: Width and height of the window.
            look: What its media are, such as `color_scheme`.
            bypass_csp: Scripts of the test run whatever the policy of a page says.
            scripts: Pages run scripts.
            on: Listeners by event.
        """
        free = self._free[bypass_csp, scripts]
        page = free.pop() if free else self._new(bypass_csp, scripts)
        page.set_default_timeout(30_000)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        media = {"color_scheme": "light", "reduced_motion": "no-preference", **(look or {})}
        page.emulate_media(**media)
        for event, listener in (on or {}).items():
            page.on(event, listener)
        yield page
        # A test that failed leaves its tab as it is.
        for event, listener in (on or {}).items():
            page.remove_listener(event, listener)
        page.mouse.move(0, 0)
        page.goto("about:blank")
        page.context.clear_cookies()
        free.append(page)

    def _new(self, bypass_csp: bool, scripts: bool) -> Any:
        # Each has a context of its own, and so its own cookies and cache.
        context = self._browser.new_context(bypass_csp=bypass_csp, java_script_enabled=scripts)
        return context.new_page()


@pytest.fixture(scope="session")
def _tabs(_chromium: Any) -> Tabs:
    return Tabs(_chromium[0])


@pytest.fixture(scope="module")
def tabs(browser: Any, _tabs: Tabs) -> Tabs:
    """Tabs of the browser."""
    return _tabs


def axe_violations(page: Any) -> list[str]:
    """Return what axe-core finds wrong with a page; a tab must let it run (`bypass_csp`)."""
    from axe_playwright_python.base import AXE_SCRIPT

    # To load it takes longer than to run it.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(
        """axe.run({resultTypes: ["violations"]}).then(({violations}) =>
             violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`))"""
    )
    return found


def require_accessible_in_layouts(page: Any) -> None:
    """Check a page with axe-core narrow and wide, dark and light, without side scrolling."""
    for width, scheme in LAYOUTS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        # Half of a transition from a layout to the next is a colour that no reader sees.
        page.evaluate(_END_TRANSITIONS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width
        assert axe_violations(page) == [], (width, scheme)


@pytest.fixture
def require_accessible(tabs: Tabs, tmp_path: Path) -> Callable[[str], None]:
    """Check a page with axe-core in four layouts, and that it loads nothing."""

    def check(source: str) -> None:
        file = tmp_path / "page.html"
        file.write_text(source, "utf-8")
        requests: list[str] = []
        listeners = {"request": lambda request: requests.append(request.url)}
        with tabs.open(size=(320, 800), bypass_csp=True, on=listeners) as page:
            page.goto(file.as_uri())
            require_accessible_in_layouts(page)
        assert set(requests) == {file.as_uri()}

    return check
