"""The Python API reference, docs/api.md, made of signatures, docstrings and examples that are run.

An example is a statement of docs/python.md that uses the name; `tests/test_readme.py` runs all of
them as one script. `make docs` writes the page, and a test compares it with what is in the docs.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import es_simhash
from es_simhash import evaluation, methods, tuning

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "api.md"
_EXAMPLES = ROOT / "docs" / "python.md"
_INTRODUCTION = """# API reference

Made by `make docs` of the docstrings; [python.md](python.md) introduces the same names by task. The
examples are parts of the script of that page, which the tests run.
"""
_SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Attributes):$")
_LONG_NAME = re.compile(r"\b(?:\w+\.)+(?=\w)")
# Statements of one example.
_MAX_STATEMENTS = 3
NAMESPACES = (es_simhash, methods, evaluation, tuning)


def reference() -> str:
    """Return the page."""
    uses = _uses()
    entries = []
    for module in NAMESPACES:
        names = [name for name in module.__all__ if not _is_error(getattr(module, name))]
        if module is not es_simhash:
            entries.append(f"# {module.__name__}\n\n{_described(module)}\n")
        entries += [_entry(name, getattr(module, name), uses) for name in names]
    return "\n".join([_INTRODUCTION, *entries]).rstrip() + "\n"


def unused() -> list[str]:
    """Return the functions, and the methods of `Index`, that no example uses."""
    uses = _uses()
    functions = [
        name
        for module in NAMESPACES
        for name in module.__all__
        if inspect.isfunction(getattr(module, name))
    ]
    methods = [name for name, _ in _methods(es_simhash.Index)]
    return [name for name in [*functions, *methods] if name not in uses]


def _is_error(member: Any) -> bool:
    return isinstance(member, type) and issubclass(member, Exception)


def _entry(name: str, member: Any, uses: dict[str, list[str]]) -> str:
    parts = [f"## {name}", _signature(name, member), _described(member)]
    parts += _example(name, uses)
    if isinstance(member, type):
        for method, function in _methods(member):
            parts += [f"### {name}.{method}", _signature(method, function), _described(function)]
            if member is es_simhash.Index:
                parts += _example(method, uses)
    return "\n\n".join(part for part in parts if part) + "\n"


def _methods(member: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods of a class and of those of ours that it extends, in their order."""
    ours = [one for one in reversed(member.__mro__) if one.__module__.startswith("es_simhash.")]
    functions = {name: value for one in ours for name, value in vars(one).items()}
    for name, function in functions.items():
        plain = function.__func__ if isinstance(function, classmethod) else function
        if not name.startswith("_") and inspect.isfunction(plain) and plain.__doc__:
            yield name, plain


def _signature(name: str, member: Any) -> str:
    if isinstance(member, type) and not (is_dataclass(member) or "__init__" in vars(member)):
        return ""
    signature = str(inspect.signature(member)).replace("'", "")
    signature = _LONG_NAME.sub("", re.sub(r"<factory>", "…", signature)).replace("(self, ", "(")
    signature = signature.replace("(self)", "()").replace("(cls, ", "(").removesuffix(" -> None")
    return f"```text\n{name}{signature}\n```"


def _described(member: Any) -> str:
    """Return a docstring as Markdown, its sections as lists."""
    lines = inspect.cleandoc(member.__doc__ or "").splitlines()
    described: list[str] = []
    in_section = in_example = False
    for line in lines:
        section = _SECTION.match(line)
        if line.startswith(">>>") and not in_example:
            described.append("```pycon")
            in_example = True
        elif in_example and not line.strip():
            described.append("```")
            in_example = False
        if section:
            described += [f"**{section[1]}**", ""]
            in_section = True
        elif in_section and re.match(r"    \S", line):
            described.append(_item(line.strip()))
        elif in_section and line.startswith("        "):
            described.append(f"  {line.strip()}")
        else:
            in_section = in_section and not line.strip()
            described.append(line)
    if in_example:
        described.append("```")
    return "\n".join(described).strip()


def _item(line: str) -> str:
    name, colon, rest = line.partition(": ")
    if colon and " " not in name:
        return f"- `{name}`: {rest}"
    return f"- {line}"


def _example(name: str, uses: dict[str, list[str]]) -> list[str]:
    statements = uses.get(name, [])[:_MAX_STATEMENTS]
    return ["```python\n" + "\n".join(statements) + "\n```"] if statements else []


def _uses() -> dict[str, list[str]]:
    """Return the statements of the examples that use each name."""
    page = _EXAMPLES.read_text("utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    uses: dict[str, list[str]] = {}
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        source = str(ast.get_source_segment(code, statement))
        for name in dict.fromkeys(_names(statement)):
            uses.setdefault(name, []).append(source)
    return uses


def _names(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


if __name__ == "__main__":
    PAGE.write_text(reference(), "utf-8")
