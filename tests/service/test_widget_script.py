"""The script of the widget is small on the wire, and kept at the address of its content."""

import gzip
import re
from pathlib import Path

import pytest

from es_simhash.service.widget_script import WidgetScript, slimmed, widget_script
from tests.support.service import Serve

ROOT = Path(__file__).parents[2]
# Compressed, as a browser gets it.
MOST_BYTES = 14_000


def test_the_page_of_the_widget_names_the_script_as_it_is() -> None:
    script = widget_script()
    assert script is not None
    page = (ROOT / "docs" / "widget.md").read_text("utf-8")
    assert set(re.findall(r"related-documents-[0-9a-f]+\.js", page)) == {script.versioned}


def test_comments_are_not_sent_and_the_licence_is() -> None:
    source = (ROOT / "widget" / "related-documents.js").read_text("utf-8")
    sent = slimmed(source)
    assert "SPDX-License-Identifier" in sent
    assert not re.search(r"^\s*//(?! SPDX)", sent, re.MULTILINE)
    assert slimmed("const a = 1; // one\n  // two\n  /** three */\n\n  run();") == (
        "const a = 1; // one\nrun();\n"
    )


def test_another_script_has_another_address() -> None:
    one, other = WidgetScript.of("run();"), WidgetScript.of("stop();")
    assert one.versioned != other.versioned
    assert one == WidgetScript.of("run();")


@pytest.mark.cluster
def test_the_script_is_kept_for_ever_at_its_own_address_alone(serve: Serve, tenants: str) -> None:
    script = widget_script()
    assert script is not None
    http = serve(tenants)
    with http.stream("GET", f"/widget/{script.versioned}") as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert len(raw) <= MOST_BYTES
    assert gzip.decompress(raw) == script.body.content
    for name in ("related-documents.js", "related-documents-0123456789ab.js"):
        answer = http.get(f"/widget/{name}")
        assert answer.content == script.body.content
        assert answer.headers["cache-control"] == "public, no-cache"
        assert answer.headers["content-type"].startswith("text/javascript")
    for name in ("related-documents-xyz.js", "README.md", "related-documents.js.map", ""):
        assert http.get(f"/widget/{name}").status_code == 404
