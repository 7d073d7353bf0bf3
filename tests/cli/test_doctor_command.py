"""`es-simhash doctor` says what is wrong first, with the way out, then what is in order."""

import json
import uuid
from typing import Any

import pytest

from es_simhash import Index
from tests.cli.conftest import Run
from tests.support.made_up_texts import make_text

pytestmark = pytest.mark.cluster


@pytest.fixture
def name(client: Any, discard: Any) -> str:
    name = f"test-{uuid.uuid4().hex}"
    discard(name, f"{name}-simhash")
    index = Index(client, name)
    index.install()
    documents = [{"id": str(n), "text": make_text(n, 60)} for n in range(8)]
    assert all(each.ok for each in index.ingest(documents))
    client.indices.refresh(index=name)
    return name


def test_the_worst_comes_first_and_what_is_in_order_last(call: Run, client: Any, name: str) -> None:
    shown = call("doctor", name)
    assert shown.status == 0, shown
    assert shown.out.startswith(f"Index '{name}' with 8 documents: no problems.\n")
    assert "8 of 8 documents have fingerprints, all of one scheme." in shown.out
    assert "The texts of 8 sampled documents in field 'text' are those that were" in shown.out
    assert "█" in shown.out
    # One text has changed, and two that another program wrote have no fingerprints.
    for id in ("5", "new", "newer"):
        client.update(
            index=name, id=id, doc={"text": make_text(id, 60)}, doc_as_upsert=True, refresh=True
        )
    client.indices.put_settings(index=name, settings={"refresh_interval": "-1"})
    shown = call("doctor", name)
    assert shown.status == 1, shown
    first, *found = [line for line in shown.out.splitlines() if line][:7]
    assert first == f"Index '{name}' with 10 documents: 2 problems, 1 hint."
    assert found == [
        "problem: 2 sampled documents have a text, but no fingerprints.",
        f"  Run `es-simhash backfill {name}`.",
        "problem: 1 of 8 sampled documents have another text than the one that was fingerprinted, "
        "or none in this field.",
        f"  Run `es-simhash backfill {name} --check`, with --text-field if the text is elsewhere.",
        f"hint: {name} is never refreshed by itself: what was written since is not found.",
        "  Set index.refresh_interval, or refresh after writing.",
    ]
    assert "are those that were fingerprinted" not in shown.out
    examined = json.loads(call("doctor", name, "--format", "json").out)
    assert not examined["healthy"]
    assert [(each["level"], each["share"]) for each in examined["findings"]] == [
        ("problem", 0.2),
        ("problem", 0.125),
        ("hint", 1.0),
    ]
    assert all(sentence in shown.out for sentence in examined["in_order"])
