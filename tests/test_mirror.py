"""The tests mirror the package: a module has tests of its name, or a test imports it."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Modules that are tested through others alone. Names are taken from it, none is added.
EXCEPTIONS = (ROOT / "tests" / "support" / "unmirrored_modules.txt").read_text("utf-8").split()


def modules() -> dict[str, str]:
    """Return the modules of the package, and the last part of their names."""
    files = [path for path in (ROOT / "es_simhash").rglob("*.py") if not path.stem.startswith("_")]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.stem for path in sorted(files)
    }


def imported(files: list[Path]) -> Iterator[str]:
    """Yield what tests import, by its dotted name."""
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{name.name}" for name in node.names)
            elif isinstance(node, ast.Import):
                yield from (name.name for name in node.names)


def test_each_module_has_a_test_of_its_name_or_one_that_imports_it() -> None:
    files = list((ROOT / "tests").rglob("test_*.py"))
    mirrored = {path.stem.removeprefix("test_") for path in files}
    covered = set(imported(files))
    untested = [
        module
        for module, name in modules().items()
        if name not in mirrored and module not in covered
    ]
    assert [module for module in untested if module not in EXCEPTIONS] == []
