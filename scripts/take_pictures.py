"""Take the pictures of the documentation: explorer, comparison, report, widget, an output.

    make pictures

It indexes the sample corpus where ELASTICSEARCH_URL says, or on a local node, and opens its pages
in Chromium. Run it again when a page or an output changes, and look at what it wrote.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from scripts import build_picture
from scripts.local_node.engine import find_engine

DOCS = Path(__file__).parents[1] / "docs"
INDEX = "es-simhash-demo"
VERSIONS = "en-remote-policy-v1", "en-remote-policy-v2"
DOCUMENT = "en-harbour-v1"
SERVICE = 'fields = ["title", "date", "lang", "text"]\nexplorer = true\n'
WIDGET = f"""<!DOCTYPE html><html lang="en"><meta name="color-scheme" content="light dark">
<script src="/widget/related-documents.js" defer></script><body>
<related-documents src="/" document-id="{DOCUMENT}" evidence
 link-pattern="/{{id}}"></related-documents></body></html>"""


def main() -> None:
    """Write all pictures."""
    url = os.environ.setdefault("ELASTICSEARCH_URL", find_engine().url)
    print(f"Pictures of the demo at {url}.", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as site:
        report, changes = Path(folder) / "report.html", Path(folder) / "changes.html"
        _run("report", INDEX, "--html", str(report))
        changes.write_text(_run("changes", INDEX, "--format", "html", "--", *VERSIONS), "utf-8")
        with sync_playwright() as playwright:
            chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                page = browser.new_page(color_scheme=scheme, reduced_motion="reduce")
                _take(page, changes.as_uri(), (900, 870), f"changes-{scheme}.png")
                _take_widget(page, site, f"widget-{scheme}.png")
                page.close()
            page = browser.new_page(color_scheme="light")
            explorer = f"{site}/explorer"
            _take(page, f"{explorer}/documents/{DOCUMENT}", (1120, 868), "explorer.png")
            address = f"{explorer}/compare/{VERSIONS[0]}/{VERSIONS[1]}"
            _take(page, address, (1200, 1180), "compare.png")
            _take(page, report.as_uri(), (1040, 960), "report.png")
            browser.close()
    build_picture.main()


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "es_simhash", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Index the demo and serve it; yield its address."""
    _run("demo", "--html", str(folder / "demo.html"))
    config = folder / "service.toml"
    config.write_text(SERVICE, "utf-8")
    command = [sys.executable, "-m", "es_simhash", "serve", INDEX, "--config", str(config)]
    process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        yield found.group()
    finally:
        process.terminate()
        process.wait()


def _take(page: Any, address: str, size: tuple[int, int], name: str) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address, wait_until="networkidle")
    page.screenshot(path=DOCS / name)


def _take_widget(page: Any, site: str, name: str) -> None:
    """Take the widget on a page of its own, with the evidence of its first entry."""
    page.route(f"{site}/page", lambda route: route.fulfill(body=WIDGET, content_type="text/html"))
    page.set_viewport_size({"width": 760, "height": 815})
    page.goto(f"{site}/page", wait_until="networkidle")
    page.get_by_text("Why?").first.click()
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=DOCS / name)


if __name__ == "__main__":
    main()
