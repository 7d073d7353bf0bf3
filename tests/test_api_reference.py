"""The reference of the site: every public name, with its whole signature; examples that run."""

import ast
import doctest
import html
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import es_simhash
from scripts.build_site import NAMESPACES, ROOT

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
NAMES = [(module, name) for module in NAMESPACES for name in module.__all__]


def public_methods(member: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods of a class and of those of ours that it extends."""
    ours = [base for base in reversed(member.__mro__) if base.__module__.startswith("es_simhash.")]
    for name in dict.fromkeys(name for base in ours for name in vars(base)):
        function = getattr(member, name)
        is_method = inspect.isfunction(function) or inspect.ismethod(function)
        if is_method and not name.startswith("_") and function.__doc__:
            yield name, function


@pytest.fixture(scope="module")
def signatures(built_site: Path) -> dict[str, str]:
    """The signature behind each heading of the built page, as text without spaces."""
    page = (built_site / "docs" / "api.html").read_text("utf-8")
    headings = (
        r'<h\d id="(es_simhash[^"]*)".*?</h\d>(?:\s*<div class="doc-signature[^>]*>(.*?)</div>)?'
    )
    found = re.findall(headings, page, re.DOTALL)
    return {id: html.unescape(re.sub(r"<[^>]*>", "", code)).strip() for id, code in found}


def defaults_shown(signature: str) -> dict[str, str | None]:
    """Return the parameters of a signature, and how it writes their defaults."""
    (function,) = ast.parse(f"def {signature}: ...").body
    assert isinstance(function, ast.FunctionDef)
    written = function.args
    named = [*written.posonlyargs, *written.args]
    values = [None] * (len(named) - len(written.defaults)) + [*written.defaults]
    pairs = [
        *zip(named, values, strict=True),
        *zip(written.kwonlyargs, written.kw_defaults, strict=True),
    ]
    return {name.arg: value and ast.unparse(value) for name, value in pairs}


def differences(signature: str, member: Any) -> Iterator[str]:
    """Yield the parameters of a callable that a signature lacks, or gives another default."""
    shown = defaults_shown(signature)
    for name, parameter in inspect.signature(member).parameters.items():
        default = parameter.default
        if name in ("self", "cls") or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        if name not in shown or (default is parameter.empty) is not (shown[name] is None):
            yield name
        elif type(default) in (bool, int, float, str, type(None)) and shown[name] != repr(default):
            yield f"{name}={default!r}, not {shown[name]}"


def test_every_public_name_is_on_the_page_with_its_signature(signatures: dict[str, str]) -> None:
    missing = []
    for module, name in NAMES:
        member, id = getattr(module, name), f"{module.__name__}.{name}"
        callables = [(id, member)] if inspect.isfunction(member) else []
        if isinstance(member, type) and not issubclass(member, Exception):
            callables += [(f"{id}.{name}", method) for name, method in public_methods(member)]
            if "__init__" in vars(member) and not getattr(member, "_is_protocol", False):
                callables.append((id, member))
        missing += [] if id in signatures else [id]
        missing += [
            f"{path}: {lacking}"
            for path, function in callables
            for lacking in differences(signatures.get(path) or "missing()", function)
        ]
    assert missing == []


def test_defaults_are_values_with_their_decimals(signatures: dict[str, str]) -> None:
    shown = {value for code in signatures.values() for value in re.findall(r"= (\d+\.\d+)", code)}
    assert {"0.3", "0.5"} <= shown
    assert not re.search(r"= \.\d", "".join(signatures.values()))


def uses() -> set[str]:
    """Return the names that the examples of docs/python.md use, which the tests run."""
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    nodes = [node for node in ast.walk(ast.parse(code)) if not isinstance(node, ast.ImportFrom)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_every_function_and_method_has_an_example() -> None:
    functions = [name for module, name in NAMES if inspect.isfunction(getattr(module, name))]
    methods = [name for name, _ in public_methods(es_simhash.Index)]
    assert [name for name in (*functions, *methods) if name not in uses()] == []


def test_the_sessions_of_the_docstrings_give_what_they_show() -> None:
    ran = 0
    for module in NAMESPACES:
        ran += run_sessions(module, module.__doc__ or "", {})
        for name in module.__all__:
            member = getattr(module, name)
            globs = {each: getattr(space, each) for space, each in NAMES}
            ran += run_sessions(module, inspect.getdoc(member) or "", globs)
    assert ran >= 3


def run_sessions(module: ModuleType, text: str, names: dict[str, Any]) -> int:
    test = doctest.DocTestParser().get_doctest(text, names, module.__name__, None, 0)
    result = doctest.DocTestRunner().run(test)
    assert not result.failed
    return int(bool(result.attempted))
