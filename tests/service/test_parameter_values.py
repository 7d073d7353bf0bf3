"""A value in an address is one of the choices, or a number as JSON writes it, within the bounds."""

import pytest

from es_simhash.constraints import Bounds
from es_simhash.described import Parameter
from es_simhash.service.parameter_values import parameter_value
from es_simhash.service.responses import Problem

SHARE = Parameter(name="share", type=float, bounds=Bounds(0, 1))
NAME = Parameter(name="after", type=str)


def test_values_are_read() -> None:
    assert parameter_value("share", "2.5e-1", SHARE) == 0.25
    assert parameter_value("after", "f-中", NAME) == "f-中"
    assert parameter_value("is", "false", Parameter(name="is", type=bool)) is False


@pytest.mark.parametrize("value", ["", "nan", "inf", "1e400", " 1", "1_0", "0x1", "١", "-0.1"])
def test_a_number_that_is_invalid(value: str) -> None:
    with pytest.raises(Problem, match="share must be a number from 0 to 1"):
        parameter_value("share", value, SHARE)


@pytest.mark.parametrize("value", ["", "x" * 513])
def test_a_name_that_is_too_short_or_too_long(value: str) -> None:
    with pytest.raises(Problem, match="after must have 1 to 512 characters"):
        parameter_value("after", value, NAME)
