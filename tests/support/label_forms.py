"""The forms of the explorer's page for labels, as a browser sends them."""

import re
from typing import Any

LABEL = "/explorer/label"
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


def form(source: str, button: str = "version") -> dict[str, str]:
    """Return what a browser sends of the form with this button."""
    forms = re.findall(r"<form.*?</form>", source, re.DOTALL)
    (found,) = (each for each in forms if f'value="{button}"' in each)
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', found))
    return {**fields, "answer": button}


def open_page(http: Any, path: str = LABEL, **more: Any) -> str:
    """Return the page, once the pairs are there."""
    for _ in range(30):
        answer = http.get(path, **more)
        assert answer.status_code == 200, answer.text
        if "refresh" not in answer.headers:
            return str(answer.text)
    raise AssertionError("the pairs were not found")


def send(http: Any, fields: dict[str, str], **headers: str) -> Any:
    """Send a form, from a page of the service where nothing else is given."""
    return http.post(LABEL, data=fields, headers=headers or SAME_SITE)
