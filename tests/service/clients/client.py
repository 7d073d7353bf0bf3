"""Uses the client that openapi-python-client made of the OpenAPI document; prints what it got."""

import json
import sys

from related_client import Client
from related_client.api.batch import related_to_each
from related_client.api.compare import compare_documents
from related_client.api.documents import get_document
from related_client.api.duplicates import find_duplicate
from related_client.api.families import get_family
from related_client.api.related import related_to_document
from related_client.models import (
    DraftBody,
    IdsBody,
    RelatedToDocumentFamily,
    RelatedToDocumentKindItem,
)


def main(address: str, text: str) -> None:
    """Ask the service at an address."""
    client = Client(address)
    kinds = [RelatedToDocumentKindItem.VERSION, RelatedToDocumentKindItem.EXACT]
    related = related_to_document.sync(
        "a1", client=client, size=2, kind=kinds, family=RelatedToDocumentFamily.SAME
    )
    batch = related_to_each.sync(client=client, body=IdsBody(["a1", "none"]))
    problems = [answer.problem and answer.problem.status for answer in batch.answers]
    answers = {
        "ids": [relation.id for relation in related.relations],
        "next": related.next_,
        "passage": related.relations[0].evidence[0].hit.text,
        "kept": compare_documents.sync("a1", "b1", client=client).changes.summary.kept,
        "odd": get_document.sync("a/b c", client=client).id,
        "members": [member.id for member in get_family.sync("a1", client=client).members],
        "action": find_duplicate.sync(client=client, body=DraftBody(text)).action.value,
        "problems": problems,
        "missing": get_document.sync("none", client=client).status,
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
