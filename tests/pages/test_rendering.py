"""Templates escape what they are given, wherever in a page it is."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from es_simhash.pages.rendering import day, environment, shortened, web_address
from tests.support.pages import HOSTILE, Page


class Named:
    """A value that is no string, with a hostile one as its text."""

    def __str__(self) -> str:
        return HOSTILE


@pytest.mark.parametrize("value", [HOSTILE, Named()], ids=["string", "object"])
def test_text_and_attributes_are_escaped(value: object) -> None:
    template = environment().from_string(
        '<p title="{{ value }}">{{ value }}</p><a href="#{{ value }}">{% set x %}{{ value }}'
        "{% endset %}{{ x }}</a>"
    )
    source = template.render(value=value)
    page = Page(source)
    assert page.tags == ["p", "a"]
    assert [name for name, _ in page.attributes] == ["title", "href"]
    assert source.isprintable()
    assert page.text.count("<script>alert(1)</script>") == 2


def test_markup_of_a_template_is_escaped_once() -> None:
    template = environment().from_string("{{ value }}")
    assert template.render(value=Markup("<b>&amp;</b>")) == "<b>&amp;</b>"
    assert template.render(value="a\r\nb\tc") == "a\nb\tc"


def test_texts_keep_the_signs_that_they_are_written_with() -> None:
    text = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 5\xa0€ 他说：\u3000今天"
    assert environment().from_string("{{ value }}").render(value=text) == text


def test_an_exact_attribute_is_read_as_it_was() -> None:
    value = f"{HOSTILE} a\r\nb\tc\xa0\u2066"
    source = environment().from_string('<p title="{{ value | exact }}">').render(value=value)
    assert source.isprintable()
    assert Page(source).attributes == [("title", value.replace("\x1b", "").replace("\x9b", "›"))]


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ value }}").render()


def test_filters() -> None:
    assert (day("2021-05-01T10:00:00Z"), day("2020"), day(None)) == ("2021-05-01", "2020", "")
    assert shortened(" a\n b ", 9) == "a b"
    assert shortened("a" * 10, 9) == "a" * 8 + "…"
    assert web_address("https://x.example") == "https://x.example"
    assert web_address("javascript:alert(1)") is None
    assert web_address(None) is None
