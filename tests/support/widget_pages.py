"""How the tests open pages with the widget, and look into it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from tests.support.waiting import until

Open = Callable[..., Any]
_PAINT = """async () => {
  while (window.painted === undefined) await new Promise((done) => setTimeout(done, 5));
  const asked = performance.getEntriesByType("resource");
  return window.painted - asked.findLast((entry) => entry.name.includes("/related/")).responseEnd;
}"""


def address(url: str, id: str | None, page: str = "page.html", **query: str) -> str:
    """Return the address of a page with the widget of a document."""
    given = {name.replace("_", "-"): value for name, value in query.items()}
    if id is not None:
        given["document-id"] = id
    return f"{url}/{page}?{urlencode(given)}"


def wait_for(page: Any, state: str) -> None:
    """Wait until the widget is in a state."""
    page.locator(f'related-documents [data-state="{state}"]').wait_for(state="attached")


def paint_time(page: Any) -> float:
    """Return the milliseconds from the last byte of the answer to the frame that shows it."""
    milliseconds: float = page.evaluate(_PAINT)
    return milliseconds


def part(page: Any, name: str) -> Any:
    """Find the elements of the widget with a part."""
    return page.locator(f'related-documents [part~="{name}"]')


def texts(page: Any, name: str) -> list[str]:
    """Return the texts of a part that are shown."""
    return [text.strip() for text in part(page, name).all_inner_texts()]


def explain(page: Any, *places: int) -> None:
    """Open the reasons of entries, of all that are shown without places, and wait for them."""
    toggles = part(page, "toggle")
    for toggle in [toggles.nth(place) for place in places] or toggles.all():
        if toggle.is_visible():
            toggle.click()
    waiting = part(page, "reason").locator('[part~="skeleton"]')
    until(lambda: waiting.count() == 0)


def events(page: Any, type: str) -> list[dict[str, Any]]:
    """Return what events of a type said."""
    noted: list[dict[str, Any]] = page.evaluate("window.events")
    return [event["detail"] for event in noted if event["type"] == type]
