"""The commands of the Makefile: each runs a module there is, with options it declares."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import LONGEST

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    set(
        re.findall(
            r"python -m ((?:tests\.bench|scripts)(?:\.\w+)+)", (ROOT / "Makefile").read_text()
        )
    )
)


def _tree(module: str) -> ast.Module:
    path = ROOT / module.replace(".", "/")
    file = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def _calls(tree: ast.Module, method: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
    ]


def _declared(tree: ast.Module) -> set[str]:
    names = [node.args[-1] for node in _calls(tree, "add_argument")]
    return {
        str(name.value).lstrip("-").replace("-", "_")
        for name in names
        if isinstance(name, ast.Constant)
    }


def _read(tree: ast.Module) -> set[str]:
    """Return what is read of the parsed command line, which is called `options` everywhere."""
    parsed = {ast.unparse(node) for node in _calls(tree, "parse_args")}
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and (
            (isinstance(node.value, ast.Name) and node.value.id == "options")
            or ast.unparse(node.value) in parsed
        )
    }


def test_the_makefile_runs_the_benchmarks() -> None:
    assert len(MODULES) > 10


@pytest.mark.parametrize("module", MODULES)
def test_a_command_reads_the_options_it_declares_and_no_others(module: str) -> None:
    tree = _tree(module)
    assert _read(tree) == _declared(tree)


def test_the_files_that_begin_a_run_exist() -> None:
    assert [path for path in LONGEST if not (ROOT / path).exists()] == []


def test_the_demo_installs_what_it_needs_and_not_what_tests_do() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target, stamp in (("demo", "DEMO_STAMP"), ("node", "DEMO_STAMP"), ("test", "STAMP")):
        assert f"\n{target}: $({stamp})\n" in makefile
    assert "\n$(DEMO_STAMP): pyproject.toml\n\t$(call install,demo)\n" in makefile
    # Tests run with what is locked, and again after that was changed.
    assert "\n$(STAMP): pyproject.toml $(LOCK)\n\t$(call install,dev,$(LOCK))\n" in makefile
