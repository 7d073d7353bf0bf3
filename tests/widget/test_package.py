"""What is shipped: size, version, licence, and the copy in the wheel."""

import gzip
import json
import re
from pathlib import Path

from tests.support.widget_site import SCRIPT, WIDGET

ROOT = Path(__file__).parents[2]
# With its comments, which the service does not send.
MOST_BYTES = 17 * 1024


def test_the_file_is_small() -> None:
    assert len(gzip.compress(SCRIPT.read_bytes(), 9)) <= MOST_BYTES


def test_the_package_is_of_the_version_and_licence_of_the_project() -> None:
    package = json.loads((WIDGET / "package.json").read_text("utf-8"))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for name in ("version", "license"):
        assert re.search(rf'^{name} = "{re.escape(package[name])}"$', project, re.M)
    assert [name for name in package["files"] if not (WIDGET / name).is_file()] == []
    assert (WIDGET / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_wheel_and_the_source_archive_ship_the_file() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '\n"widget" = "es_simhash/widget"\n' in project
    assert re.search(r'^include = \[[^]]*"/widget"', project, re.M)
