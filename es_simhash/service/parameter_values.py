"""The value of a parameter in an address: one of its choices, or a number within its bounds."""

import re
from typing import Any

from es_simhash.described import Parameter
from es_simhash.service.responses import Problem
from es_simhash.service.service_config import MAX_ID_BYTES

_WHOLE = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?")
_TRUTH = {"true": True, "false": False}


def parameter_value(name: str, value: str, parameter: Parameter) -> Any:
    """Return the value of a parameter.

    Raises:
        Problem: 400, when it is not one of the choices, or no number within the bounds.
    """
    bounds, choices = parameter.bounds, parameter.choices
    if parameter.type is bool:
        if value not in _TRUTH:
            raise Problem(400, f"{name} must be true or false.")
        return _TRUTH[value]
    if choices:
        if value not in choices:
            raise Problem(400, f"{name} must be one of {', '.join(choices)}.")
        return value
    if bounds is None:
        if not 0 < len(value) <= MAX_ID_BYTES:
            raise Problem(400, f"{name} must have 1 to {MAX_ID_BYTES} characters.")
        return value
    is_whole = parameter.type is int
    if (_WHOLE if is_whole else _NUMBER).fullmatch(value):
        number = parameter.type(value)
        if number in bounds:
            return number
    kind, low = "whole number" if is_whole else "number", "from"
    if bounds.excludes_minimum:
        low = "above"
    raise Problem(400, f"{name} must be a {kind} {low} {bounds.minimum} to {bounds.maximum}.")
