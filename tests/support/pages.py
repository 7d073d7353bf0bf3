"""Pages of HTML as a reader has them: their tags and texts, and what axe-core says of them."""

import re
from html.parser import HTMLParser

from es_simhash.text.escaping import is_harmless

# What must stay text: markup, a script, an address to load, ESC, right-to-left override.
HOSTILE = (
    "<script>alert(1)</script></title></style><img src=http://x.example/p.png onerror=alert(2)> "
    "& \"quoted\" 'too' javascript:alert(3) \x1b[31m \x9b \u202e"
)


class Page(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] != "style":
            self.text += data

    @property
    def words(self) -> str:
        """The text with single spaces."""
        return " ".join(self.text.split())

    def values(self, name: str) -> list[str]:
        """The values of an attribute."""
        return [value for found, value in self.attributes if found == name]

    def require_harmless(self) -> None:
        """Check that it runs nothing, loads nothing and has no control characters."""
        forbidden = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "use"}
        assert not forbidden & set(self.tags)
        names = {name for name, _ in self.attributes}
        assert not {name for name in names if name.startswith("on")}
        assert not names & {"src", "srcset", "style", "action", "data", "xlink:href"}
        assert all(re.match(r"#|https?://", value) for value in self.values("href"))
        assert not re.search(r"url\(|@import", self.source)
        assert "default-src 'none'" in self.source
        assert all(is_harmless(each) or each in "\n\t" for each in self.source)

    def require_linked(self) -> None:
        """Check that every link within the page leads somewhere, and no id is there twice."""
        ids = self.values("id")
        assert len(ids) == len(set(ids))
        links = [value[1:] for value in self.values("href") if value.startswith("#")]
        assert set(links) <= set(ids)
