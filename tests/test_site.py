"""The site of the documentation: it builds strictly, asks no other host, and fits a phone."""

import re
from pathlib import Path

import pytest

from scripts.build_site import ROOT, sources
from tests.support.browser import Tabs, require_accessible_in_layouts
from tests.support.folder_server import served_folder

# What a browser loads by itself; links to other sites are for the reader to follow.
LOADED = re.compile(
    r"<(?:link|script|img|source|iframe|video|audio|object|embed|use|image|input|base)\b[^>]*?"
    r"\b(?:href|src|srcset|data|poster)=[\"'](?:https?:)?//[^\"']+",
    re.S,
)
LOADED_BY_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")
# Named in the theme's script and loaded only by what no page has: diagrams of Mermaid, the name of
# a repository on GitHub. In a browser, `test_pages_ask_no_other_host_and_fit_a_phone` looks.
IN_SCRIPTS = {
    "https://unpkg.com/mermaid@11/dist/mermaid.min.js",
    "https://unpkg.com/resize-observer-polyfill",
    "https://api.github.com/repos/",
    "https://api.github.com/users/",
    "https://clipboardjs.com/",
}


def test_every_page_of_the_repository_is_on_the_site(built_site: Path) -> None:
    pages = [path for path in sources() if path.suffix == ".md"]
    assert len(pages) > 30
    for page in pages:
        built = (
            page.parent / "index.html" if page.name == "README.md" else page.with_suffix(".html")
        )
        assert (built_site / built).is_file(), page


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    """A site of two pages, built with the settings of that of the documentation."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "relations.md").write_text("# Relations\n\n## Kinds\n", "utf-8")

    def build_with(links: str) -> None:
        (pages / "README.md").write_text(f"# Report\n\n[kinds](relations.md#kinds)\n\n{links}\n")
        config = load_config(
            str(ROOT / "mkdocs.yml"),
            docs_dir=str(pages),
            site_dir=str(tmp_path / "site"),
            nav=["README.md", "relations.md"],
            strict=True,
        )
        build(config)

    build_with("")
    for broken in ("no-such-page.md", "relations.md#no-such-heading"):
        with pytest.raises(Abort, match="1 warning"):
            build_with(f"[gone]({broken})")


def test_no_file_names_another_host_to_load_from(built_site: Path) -> None:
    for path in built_site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert LOADED.findall(text) == [], path
        assert LOADED_BY_STYLE.findall(text) == [], path
        assert 'class="mermaid"' not in text
    styles = list(built_site.rglob("*.css"))
    assert len(styles) > 2
    for path in styles:
        assert LOADED_BY_STYLE.findall(path.read_text("utf-8")) == [], path
    (bundle,) = built_site.glob("assets/javascripts/bundle.*.js")
    assert set(re.findall(r"https?://[\w./@-]+", bundle.read_text("utf-8"))) <= IN_SCRIPTS


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_ask_no_other_host_and_fit_a_phone(built_site: Path, tabs: Tabs, scheme: str) -> None:
    pages = sorted(str(path.relative_to(built_site)) for path in built_site.rglob("*.html"))
    chosen = pages[::7] if scheme == "light" else pages[:1]
    look = {"color_scheme": scheme}
    asked: list[str] = []
    on = {"request": lambda request: asked.append(request.url)}
    with served_folder(built_site) as address, tabs.open(size=(375, 800), look=look, on=on) as page:
        for path in chosen:
            page.goto(f"{address}/{path}")
            expected = "slate" if scheme == "dark" else "default"
            assert page.get_attribute("body", "data-md-color-scheme") == expected
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 375, (path, width)
        assert len(asked) > len(chosen)
        assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def test_the_search_finds_a_page_without_another_host(built_site: Path, tabs: Tabs) -> None:
    asked: list[str] = []
    on = {"request": lambda request: asked.append(request.url)}
    with served_folder(built_site) as address, tabs.open(size=(1280, 900), on=on) as page:
        page.goto(f"{address}/index.html")
        # What is typed before the index of words is read would be lost.
        page.click(".md-search__input")
        page.wait_for_selector(".md-search-result__meta:has-text('Type to start')", timeout=30_000)
        page.keyboard.type("sidecar")
        page.wait_for_selector(".md-search-result__link", timeout=30_000)
        assert "docs/backfill.html" in page.inner_html(".md-search-result__list")
        assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.parametrize("path", ["index.html", "docs/how-to/contracts-and-records.html"])
def test_pages_are_accessible(built_site: Path, tabs: Tabs, path: str) -> None:
    with served_folder(built_site) as address, tabs.open(size=(320, 900)) as page:
        page.goto(f"{address}/{path}")
        page.locator('.md-code__nav[role="none"]').first.wait_for(state="attached")
        require_accessible_in_layouts(page)


def test_a_wide_table_scrolls_by_keyboard(built_site: Path, tabs: Tabs) -> None:
    with served_folder(built_site) as address, tabs.open(size=(375, 900)) as page:
        page.goto(f"{address}/docs/service.html")
        page.locator('.md-typeset__scrollwrap[tabindex="0"]').first.wait_for(state="attached")
        wide = "all => all.findIndex(each => each.scrollWidth > each.clientWidth)"
        tables = page.locator(".md-typeset__scrollwrap")
        table = tables.nth(tables.evaluate_all(wide))
        table.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("element => element.scrollLeft > 0", arg=table.element_handle())


def test_no_table_has_a_column_without_a_name(built_site: Path) -> None:
    pages = list(built_site.rglob("*.html"))
    assert [path for path in pages if re.search(r"<th[^>]*></th>", path.read_text("utf-8"))] == []
