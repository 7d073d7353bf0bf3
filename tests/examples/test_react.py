"""The widget as an npm package: installed from a clone, in TypeScript and React, in a browser."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.widget_pages import texts, wait_for

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm"),
]


@pytest.fixture(scope="module")
def address(site: Any) -> str:
    found: str = site("react")["8080"]
    return found


def test_a_component_shows_the_box_and_follows_its_events(
    visit: Callable[..., Any], address: str
) -> None:
    page = visit(address)
    wait_for(page, "ready")
    assert page.locator("h1").inner_text() == "Report en-harbour-v1"
    # An object that JSX gives is a property of the element.
    assert page.locator('[part~="heading"]').first.inner_text().startswith("Earlier and later")
    page.get_by_role("link", name="Gantry crane collapses in Port Ellery, three hurt").click()
    page.get_by_role("heading", name="Report en-harbour-v2").wait_for()
    # The box of the other one, whose oldest version may be behind "Show all".
    oldest = page.locator('[part~="title"]').get_by_text(re.compile(r"^Gantry .* Port Ellery$"))
    oldest.wait_for(state="attached")
    assert "Gantry crane collapses in Port Ellery, three hurt" not in texts(page, "title")


def test_the_page_is_accessible(require_accessible_at: Any, address: str) -> None:
    require_accessible_at(address, waits_for='related-documents [data-state="ready"]')


def test_the_package_has_all_files_that_it_names(tmp_path: Path) -> None:
    packed = subprocess.run(
        ["npm", "pack", "--json", "--pack-destination", str(tmp_path), str(ROOT / "widget")],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {file["path"] for file in json.loads(packed.stdout)[0]["files"]}
    package = json.loads((ROOT / "widget" / "package.json").read_text("utf-8"))
    assert names == {"package.json", *package["files"]}
    exported = json.dumps(package["exports"])
    for name in ("related-documents.js", "related-documents.d.ts", "react.d.ts"):
        assert f"./{name}" in exported


def test_a_mistyped_attribute_fails_the_check_of_types(tmp_path: Path, address: str) -> None:
    """The example was installed for the page; its compiler checks another file."""
    modules = tmp_path.parent.glob("site*/examples/react/node_modules")
    (installed,) = {path.resolve().parent for path in modules}
    source = installed / "src" / "mistyped.tsx"
    source.write_text(
        'import type {} from "es-simhash-related-documents/react";\n'
        'export const box = <related-documents document-id="a" layuot="columns" />;\n'
    )
    try:
        checked = subprocess.run(
            ["npx", "tsc"], cwd=installed, capture_output=True, text=True, check=False
        )
    finally:
        source.unlink()
    assert checked.returncode != 0
    assert "layuot" in checked.stdout
