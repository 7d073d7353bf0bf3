"""Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from es_simhash.errors import EsSimhashError


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium without a window.

    Raises:
        EsSimhashError: Playwright or Chromium is not installed.
    """
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
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
