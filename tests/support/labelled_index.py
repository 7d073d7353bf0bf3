"""An index with versions of every degree, to label pairs of."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.filled_index import filled_index
from tests.support.made_up_texts import make_text, revise

# Shares of changed words: the more, the lower the score.
SHARES = (0.02, 0.06, 0.1, 0.14, 0.25, 0.4, 0.75)
STEERING_TITLE = "Colour \x1b[31mred\x07"
CHINESE = "北京市发布了新的规定，所有商店必须在晚上十点以前关门。居民表示欢迎，店主则担心收入。"


def documents() -> Iterator[dict[str, Any]]:
    """Yield families of two versions, equal texts, and texts of their own."""
    for number, share in enumerate(SHARES):
        text = make_text(number)
        yield {"id": f"new{number}", "text": revise(text, 50 + number, share), "date": "2024-02-01"}
        yield {"id": f"old{number}", "text": text, "date": "2023-02-01", "title": STEERING_TITLE}
    equal = make_text(20)
    yield {"id": "same1", "text": equal}
    yield {"id": "same2", "text": equal}
    tab = make_text(21)
    yield {"id": "tab\tone", "text": tab}
    yield {"id": "tab two", "text": revise(tab, 71, 0.2)}
    yield {"id": "zh1", "text": CHINESE * 3 + "\x1b[2J最后一句。"}
    yield {"id": "zh2", "text": CHINESE * 3 + "结束的句子完全不同。"}
    for number in range(100, 104):
        yield {"id": f"other{number}", "text": make_text(number)}


@pytest.fixture(scope="module")
def labelled_index(cluster_url: str) -> Iterator[str]:
    """The name of an index with these documents, with titles and dates."""
    from es_simhash.store.installation.document_settings import configure

    with filled_index(cluster_url, documents()) as (client, name):
        configure(client, name, {"title": "title", "date": "date"})
        yield name


@pytest.fixture
def label_file(tmp_path: Path) -> Path:
    """Where labels are written; there are none yet."""
    return tmp_path / "pairs.tsv"


@pytest.fixture
def label_client(serve: Callable[..., Any], labelled_index: str, label_file: Path) -> Any:
    """An HTTP client of the explorer that writes labels of this index to the file."""
    from es_simhash.service.service_config import ServiceConfig

    return serve(labelled_index, ServiceConfig(labels=label_file))
