"""The plugin for WordPress: run by PHP with the functions that it calls, opened in a browser."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.local_node.java import apt_install
from tests.examples.conftest import ROOT
from tests.support.folder_server import served_folder
from tests.support.service import Serve, serve
from tests.support.widget_pages import texts, wait_for

__all__ = ["serve"]
pytestmark = pytest.mark.cluster

PLUGIN = ROOT / "examples" / "wordpress" / "related-documents.php"
# What WordPress does around a plugin: hooks, escaping, and a page of its theme.
THEME = r"""<?php
[, $plugin, $service, $id, $is_post] = $argv;
define('ABSPATH', __DIR__);
define('RELATED_DOCUMENTS_URL', $service);
$hooks = $scripts = [];
function add_action($name, $call) { $GLOBALS['hooks'][$name][] = $call; }
function add_filter($name, $call) { add_action($name, $call); }
function is_singular($type) { return $type === 'post' && $GLOBALS['is_post'] === 'post'; }
function in_the_loop() { return true; }
function is_main_query() { return true; }
function get_the_ID() { return $GLOBALS['id']; }
function get_bloginfo($what) { return $what === 'language' ? 'en-GB' : ''; }
function esc_url($url) { return htmlspecialchars($url, ENT_QUOTES); }
function esc_attr($text) { return htmlspecialchars($text, ENT_QUOTES); }
function wp_enqueue_script($handle, $src, $needs, $version, $args) {
    $from = 'src="' . esc_url($src) . '"';
    $GLOBALS['scripts'][$handle] = "<script $from {$args['strategy']}></script>";
}
require $plugin;
foreach ($hooks['wp_enqueue_scripts'] as $call) $call();
$content = '<p>The post.</p>';
foreach ($hooks['the_content'] as $call) $content = $call($content);
echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A post</title>',
    implode('', $scripts), "</head><body><main><h1>A post</h1>$content</main></body></html>";
"""


@pytest.fixture(scope="module")
def php() -> str:
    if shutil.which("php") is None:
        apt_install("php-cli")
    found = shutil.which("php")
    if found is None:
        pytest.skip("needs PHP")
    return found


def written(php: str, folder: Path, *arguments: str) -> str:
    """Return the page that PHP writes."""
    (folder / "theme.php").write_text(THEME, "utf-8")
    done = subprocess.run(
        [php, str(folder / "theme.php"), str(PLUGIN), *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def blog(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A web server of a folder: its address, and the folder."""
    with served_folder(tmp_path) as address:
        yield address, tmp_path


def test_a_post_has_the_box_below_its_text(
    php: str, blog: tuple[str, Path], serve: Serve, demo_index: str, visit: Callable[..., Any]
) -> None:
    from es_simhash.service.service_config import ServiceConfig

    address, folder = blog
    config = ServiceConfig(fields=("title", "date"), origins=(address,))
    service = str(serve(demo_index, config).base_url).rstrip("/")
    page = written(php, folder, service, "en-harbour-v1", "post")
    (folder / "post.html").write_text(page, "utf-8")
    opened = visit(f"{address}/post.html")
    wait_for(opened, "ready")
    assert "Gantry crane collapses in Port Ellery, three hurt" in texts(opened, "title")
    assert opened.locator("main > p + related-documents").count() == 1


def test_other_pages_stay_as_they_are_and_ids_are_escaped(php: str, tmp_path: Path) -> None:
    service = "https://related.example.org"
    other = written(php, tmp_path, service, "1", "page")
    assert "related" not in other
    hostile = written(php, tmp_path, service, '"><script>alert(1)</script>', "post")
    assert "<script>alert" not in hostile
