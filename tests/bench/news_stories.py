"""Stories of an agency and of papers, as the service that is measured serves them."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from es_simhash.errors import EsSimhashError
from tests.support import datasets

_SETS = ("wire_news", "bbc_news", "ecbplus")
# A story that is sent again has lost its last sentences.
_SENT_AGAIN = 0.8


def news_stories(count: int) -> Iterator[dict[str, Any]]:
    """Yield stories; once all were sent, they are sent again, shorter.

    Raises:
        EsSimhashError: There are not so many.
        MissingData: The evaluation data is not there.
    """
    stories = [story for name in _SETS for story in datasets.documents(name)]
    if count > 2 * len(stories):
        raise EsSimhashError(f"There are {2 * len(stories)} stories, got {count}. Lower documents.")
    for number, story in enumerate(islice((*stories, *stories), count)):
        text = story["text"]
        if number >= len(stories):
            text = text[: int(len(text) * _SENT_AGAIN)]
        title = story.get("title", "")
        yield {"id": str(number), "title": title, "text": f"{title}\n\n{text}"}


def story_texts(start: int, count: int) -> Iterator[str]:
    """Yield the texts of so many stories from one on; errors as `news_stories`."""
    return (story["text"] for story in islice(news_stories(start + count), start, None))
