"""The defaults of public functions as values: the reference shows 0.6, not the constant's name."""

import inspect
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import griffe

_NAMESPACES = ("evaluation", "methods", "tuning", "types")
_PLAIN = (bool, int, float, str, type(None))


class DefaultValues(griffe.Extension):
    """Replace defaults that are plain values by how Python writes them."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Go through the names of `__all__` of the package and of its namespaces."""
        for module in (pkg, *(pkg.members.get(name) for name in _NAMESPACES)):
            if module is not None:
                imported = import_module(module.path)
                for name in imported.__all__:
                    _write_values(_target(module[name]), getattr(imported, name))


def _write_values(described: Any, member: Any) -> None:
    if described.is_function:
        values = inspect.signature(member).parameters
        for parameter in described.parameters:
            if parameter.name in values and _is_plain(values[parameter.name].default):
                parameter.default = repr(values[parameter.name].default)
    elif described.is_class:
        for field in fields(member) if is_dataclass(member) else ():
            if _is_plain(field.default):
                _target(described.all_members[field.name]).value = repr(field.default)
        for name, inner in described.members.items():
            if not inner.is_alias and inner.is_function and not inner.is_private:
                _write_values(inner, getattr(member, name))


def _target(member: Any) -> Any:
    return member.final_target if member.is_alias else member


def _is_plain(value: object) -> bool:
    return type(value) in _PLAIN
