"""One small change at a time in the functions of a module, made in their compiled code."""

import ast
import gc
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

_COMPARED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any",
           "minimum": "maximum", "maximum": "minimum"}  # fmt: skip
_CACHED = type(lru_cache(len))
Change = Callable[[], None]


class Mutant(NamedTuple):
    """A changed function.

    Attributes:
        name: The function, what was there, what is there now, and in which line.
        code: The code of the function.
    """

    name: str
    code: CodeType


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of all functions of a file, one after another."""
    tree = ast.parse(path.read_text("utf-8"))
    for name, function in _functions(tree):
        for node, statement in _nodes(function):
            line = ast.unparse(statement).partition("\n")[0]
            for change, back in _changes(node):
                before = ast.unparse(node)
                change()
                changed = f"{name}: {before} → {ast.unparse(node)} in {line}"
                code = compile(tree, str(path), "exec")
                back()
                yield Mutant(changed, _found(code, function))


def exchange(mutant: Mutant) -> None:
    """Give the code of a mutant to its function, wherever that was imported, and empty all caches.

    Raises:
        LookupError: There is no such function, as in a module that is not imported.
    """
    code = mutant.code
    place = code.co_filename, code.co_firstlineno, code.co_name
    changed = 0
    # The tests freeze what they have imported, which hides it.
    gc.unfreeze()
    for each in gc.get_objects():
        if isinstance(each, FunctionType):
            own = each.__code__
            if (own.co_filename, own.co_firstlineno, own.co_name) == place:
                each.__code__ = code
                changed += 1
        elif isinstance(each, _CACHED):
            each.cache_clear()
    if not changed:
        raise LookupError(mutant.name)


def _functions(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    yield f"{node.name}.{each.name}", each


def _nodes(function: Any) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield what is computed, and its statement.

    No annotations, defaults, decorators and words of errors; a negative number is one with its
    sign.
    """
    waiting: list[tuple[ast.AST, ast.AST]] = [(each, each) for each in function.body]
    while waiting:
        node, statement = waiting.pop(0)
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
            continue
        yield node, statement
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            continue
        for child in ast.iter_child_nodes(node):
            if child is not getattr(node, "annotation", None):
                waiting.append((child, child if isinstance(child, ast.stmt) else statement))


def _changes(node: Any) -> Iterator[tuple[Change, Change]]:
    """Yield what changes a node, and what changes it back."""

    def both(owner: Any, name: str, value: object) -> tuple[Change, Change]:
        before = getattr(owner, name)
        return (lambda: setattr(owner, name, value)), (lambda: setattr(owner, name, before))

    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        yield both(node, "ops", [_COMPARED[type(node.ops[0])]()])
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _COMPUTED:
        yield both(node, "op", _COMPUTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield both(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield both(node, "op", ast.UAdd())
    elif isinstance(node, ast.IfExp):
        yield both(node, "test", ast.copy_location(ast.Constant(True), node.test))
        yield both(node, "test", ast.copy_location(ast.Constant(False), node.test))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield both(node, "value", node.value + 1)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name in _CALLED:
            yield both(node.func, "attr" if hasattr(node.func, "attr") else "id", _CALLED[name])


def _found(code: CodeType, function: Any) -> CodeType:
    """Return the code of a function in that of its module or class."""
    first = min(each.lineno for each in (function, *function.decorator_list))
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if (each.co_name, each.co_firstlineno) == (function.name, first):
                return each
            with_it = each.co_firstlineno <= first and _has(each, function.name, first)
            if with_it:
                return _found(each, function)
    raise LookupError(function.name)


def _has(code: CodeType, name: str, line: int) -> bool:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return any((each.co_name, each.co_firstlineno) == (name, line) for each in inner)
