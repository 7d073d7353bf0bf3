"""Chromium, driven by Playwright: for pages and the widget."""

import fcntl
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from es_simhash.errors import EsSimhashError
from scripts.local_node.java import apt_install


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, installed where that is possible; else the tests say what to install.

    It is closed with the module: its event loop would keep tests of another from one of their own.
    """
    if importlib.util.find_spec("axe_playwright_python") is None:
        _without_browser("axe-playwright-python is missing. Run pip install -e '.[dev]'.")
    with ExitStack() as stack:
        try:
            started = stack.enter_context(chromium())
        except EsSimhashError as error:
            _without_browser(str(error))
        yield started


@pytest.fixture
def require_accessible(browser: Any, tmp_path: Path) -> Callable[[str], None]:
    """Check a page with axe-core, light and dark, and that no phone has to scroll sideways."""
    from axe_playwright_python.sync_playwright import Axe

    def check(source: str) -> None:
        file = tmp_path / "page.html"
        file.write_text(source, "utf-8")
        requests: list[str] = []
        # axe-core is a script, which the page forbids.
        page = browser.new_page(bypass_csp=True)
        page.on("request", lambda request: requests.append(request.url))
        for width, scheme in ((320, "dark"), (1400, "light")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            if width == 320:
                page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
        page.close()
        assert set(requests) == {file.as_uri()}

    return check
