"""Build the site of the documentation from the Markdown pages of the repository.

    python -m scripts.build_site [--site-dir DIR]

The pages are copied to build/pages in the layout of the repository, then MkDocs builds them; a
broken link, a missing anchor or a page that the navigation lacks is an error.
"""

import argparse
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import es_simhash
from es_simhash import evaluation, methods, tuning, types

NAMESPACES = (es_simhash, types, evaluation, methods, tuning)
ROOT = Path(__file__).parents[1]
PAGES = ROOT / "build" / "pages"
_FILES = (ROOT / "scripts" / "site.css", ROOT / "scripts" / "site.js")


def sources() -> Iterator[Path]:
    """Yield the pages of the repository and the files that they show, relative to its root."""
    named = (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docker/README.md",
        "examples/README.md",
    )
    yield from map(Path, named)
    # Not those of packages that an example has installed.
    for path in sorted((ROOT / "examples").glob("*/README.md")):
        yield path.relative_to(ROOT)
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.is_file():
            yield path.relative_to(ROOT)


def api_directives() -> str:
    """Return the directives that mkdocstrings makes the reference of: one for each public name."""
    lines = []
    for module in NAMESPACES:
        lines.append(f"## {module.__name__}\n")
        lines += [f"::: {module.__name__}.{name}\n" for name in module.__all__]
    return "\n".join(lines)


def copy_pages(pages: Path) -> None:
    """Lay out the pages for MkDocs in a folder, which is emptied."""
    shutil.rmtree(pages, ignore_errors=True)
    for path in sources():
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, pages / path)
    reference = pages / "docs" / "api.md"
    text = reference.read_text("utf-8").replace("<!-- api -->", api_directives())
    reference.write_text(text, "utf-8")
    for file in _FILES:
        shutil.copyfile(file, pages / file.name)


def build_site(site: Path, pages: Path = PAGES) -> None:
    """Build the site into a folder.

    Raises:
        Abort: MkDocs warned of something, such as a broken link.
    """
    copy_pages(pages)
    # Half a second that those who only ask for the pages do not wait.
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    config = load_config(
        str(ROOT / "mkdocs.yml"), docs_dir=str(pages), site_dir=str(site), strict=True
    )
    build(config)


def main(argv: Sequence[str] | None = None) -> int:
    """Build the site; exit status 1 when a page has a fault."""
    from mkdocs.exceptions import Abort

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site-dir", type=Path, default=ROOT / "site")
    options = parser.parse_args(argv)
    try:
        build_site(options.site_dir)
    except Abort as error:
        print(f"Error: the site has faults, named above ({error}).")
        return 1
    print(f"{options.site_dir / 'index.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
