"""All regular expressions of the package, found by its syntax, and how each of them is used.

Those of modules are evaluated where they are written, those that functions return by calling the
functions. A use of `re` that is in neither is listed as missed, so that no expression is new and
unmeasured.
"""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import es_simhash
from es_simhash.errors import EsSimhashError

_PACKAGE = Path(es_simhash.__file__).parent
METHODS = frozenset({"match", "fullmatch", "search", "split", "findall", "finditer", "sub", "subn"})
# Of what is used in a way that is not seen here, such as by a function that it is given to.
ANY_USE = frozenset({"match", "fullmatch", "finditer"})
# Members of `re` that read no text.
_HARMLESS = frozenset({"Pattern", "Match", "escape", "error", "purge"})
_OTHER_ENGINES = frozenset({"regex", "re2", "sre_compile", "_sre"})
_IMPORT = re.compile(rf"\b(?:import|from)\b.*\b(?:re|{'|'.join(_OTHER_ENGINES)})\b")


class Expression(NamedTuple):
    """A regular expression.

    Attributes:
        place: Module and line where it is written.
        pattern: The expression.
        uses: Methods that it is used by.
    """

    place: str
    pattern: re.Pattern[Any]
    uses: frozenset[str]


@dataclass
class Collected:
    """What was found.

    Attributes:
        expressions: All expressions.
        missed: Places of uses of `re` whose expression is not known.
        count: How many uses of `re` there are that read texts, or make what does.
    """

    expressions: list[Expression] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    count: int = 0


class Source:
    """A module of the package, as it is written.

    Args:
        name: Name of the module.
        code: Its code.
    """

    def __init__(self, name: str, code: str) -> None:
        self.name, self.code = name, code

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All parts of its syntax."""
        return tuple(ast.walk(ast.parse(self.code)))

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: parent for parent in self.nodes for child in ast.iter_child_nodes(parent)}

    def holders(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node is in, from the inside."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    @cached_property
    def namespace(self) -> dict[str, Any]:
        """Names of the module; those of a program, or of one that misses an extra, are not known.

        A program runs where it is imported.
        """
        if not self.name.endswith("__main__"):
            with suppress(ImportError, EsSimhashError):
                return vars(importlib.import_module(self.name))
        return {"re": re}

    def imports(self, name: str, module: str) -> bool:
        """Check whether a name is that of another module."""
        return f"from {module} import" in self.code and any(
            isinstance(node, ast.ImportFrom)
            and node.module == module
            and any(alias.name == name for alias in node.names)
            for node in self.nodes
        )

    def uses_of(self, name: str) -> Iterator[str]:
        """Yield the methods by which what has a name is used, or what is reached from it."""
        for node in self.nodes:
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield from self._use_of(node)

    def _use_of(self, node: ast.AST) -> Iterable[str]:
        for holder in self.holders(node):
            if isinstance(holder, ast.Attribute) and holder.attr in METHODS:
                return (holder.attr,)
            is_reached = isinstance(holder, ast.Attribute | ast.Subscript | ast.Call)
            if not is_reached or (isinstance(holder, ast.Call) and holder.func is not node):
                break
            node = holder
        return ANY_USE


@cache
def sources() -> tuple[Source, ...]:
    """Return all modules of the package."""
    paths = sorted(_PACKAGE.rglob("*.py"))
    return tuple(Source(_module_name(path), path.read_text("utf-8")) for path in paths)


def _module_name(path: Path) -> str:
    parts = path.relative_to(_PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def collected(modules: tuple[Source, ...]) -> Collected:
    """Return the regular expressions of modules."""
    found = Collected()
    for module in filter(_may_have_some, modules):
        for node in module.nodes:
            place = f"{module.name}:{getattr(node, 'lineno', 0)}"
            if _hides_an_expression(node):
                found.missed.append(place)
            elif _is_of_re(node) and not _is_harmless(node):
                found.count += 1
                some = list(_expressions(module, node, place, modules))
                found.expressions += some
                if not some:
                    found.missed.append(place)
    # A function that makes several has returned all of them for each.
    found.expressions = list({each[1:]: each for each in found.expressions}.values())
    return found


def _may_have_some(module: Source) -> bool:
    return bool(_IMPORT.search(module.code))


def _hides_an_expression(node: ast.AST) -> bool:
    """Check whether a statement imports what would not be seen as a use of `re`."""
    if isinstance(node, ast.ImportFrom):
        return node.module in {"re", *_OTHER_ENGINES}
    if not isinstance(node, ast.Import):
        return False
    names = {alias.name for alias in node.names}
    renamed = any(alias.name == "re" and alias.asname for alias in node.names)
    return renamed or bool(names & _OTHER_ENGINES)


def _is_of_re(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "re"
    )


def _is_harmless(node: ast.Attribute) -> bool:
    # What is written in capitals is a flag.
    return node.attr in _HARMLESS or node.attr.isupper()


def _expressions(
    module: Source, node: ast.Attribute, place: str, modules: tuple[Source, ...]
) -> Iterator[Expression]:
    """Yield the expressions of one use of `re`; none where they are not known."""
    call, method = next(module.holders(node)), node.attr
    if not isinstance(call, ast.Call) or call.func is not node:
        return
    is_inline = method in METHODS
    if (pattern := _evaluated(module, call)) is not None:
        uses = frozenset({method}) if is_inline else _uses(module, call, modules)
        yield Expression(place, pattern, uses)
    elif not is_inline:
        function = _function(module, call)
        if function is not None:
            some = list(_returned(module, function))
            uses = _uses_by_name(module, function.name, modules)
            yield from (Expression(place, each, uses) for each in some)


def _evaluated(module: Source, call: ast.Call) -> "re.Pattern[Any] | None":
    """Return the pattern of a call, evaluated where it is written; None for that of a function."""
    flags = [word for word in call.keywords if word.arg == "flags"]
    made = ast.Call(
        ast.parse("re.compile", mode="eval").body,
        call.args if _name(call) == "compile" else call.args[:1],
        flags,
    )
    code = compile(ast.fix_missing_locations(ast.Expression(made)), module.name, "eval")
    try:
        pattern: re.Pattern[Any] = eval(code, dict(module.namespace))
    except NameError:
        return None
    return pattern


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", "")


def _function(module: Source, node: ast.AST) -> ast.FunctionDef | None:
    """Return the function that a node is in, if it needs no arguments."""
    for holder in module.holders(node):
        if isinstance(holder, ast.FunctionDef):
            takes = holder.args
            return None if takes.args or takes.posonlyargs or takes.kwonlyargs else holder
    return None


def _returned(module: Source, function: ast.FunctionDef) -> Iterator["re.Pattern[Any]"]:
    """Yield what a function returns, if that has as many patterns as it makes."""
    calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
    made = [each for each in calls if _is_of_re(each.func) and _name(each) == "compile"]
    some = list(_patterns_in(module.namespace[function.name]()))
    if len(some) >= len(made):
        yield from some


def _patterns_in(value: Any) -> Iterator["re.Pattern[Any]"]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from _patterns_in(list(value.values()))
    elif is_dataclass(value):
        yield from _patterns_in([getattr(value, each.name) for each in fields(value)])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _patterns_in(each)


def _uses(module: Source, call: ast.Call, modules: tuple[Source, ...]) -> frozenset[str]:
    """Return how the pattern is used that a call makes: by its method, or by its name."""
    holder = next(module.holders(call))
    if isinstance(holder, ast.Attribute) and holder.attr in METHODS:
        return frozenset({holder.attr})
    for statement in module.holders(call):
        if isinstance(statement, ast.FunctionDef):
            break
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            return _uses_by_name(module, statement.targets[0].id, modules)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            return _uses_by_name(module, statement.target.id, modules)
    return ANY_USE


def _uses_by_name(module: Source, name: str, modules: tuple[Source, ...]) -> frozenset[str]:
    those = [other for other in modules if other is module or other.imports(name, module.name)]
    return frozenset(use for other in those for use in other.uses_of(name)) or ANY_USE
