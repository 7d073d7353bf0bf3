"""Forms that change something: sent by a page of this service, for what that page showed."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import parse_qsl, quote, unquote

from es_simhash.lab.evaluation.labelled_pairs import Pair
from es_simhash.service.credentials import Caller
from es_simhash.service.problems import Problem

# Two ids of 512 bytes, escaped twice, and the rest.
MAX_FORM_BYTES = 16_384
_TYPE = "application/x-www-form-urlencoded"


def require_own_page(headers: Mapping[str, str]) -> None:
    """Check that a request comes from a page of this service.

    A browser says so in `Sec-Fetch-Site`, over HTTPS and on this machine, and in `Origin`.

    Raises:
        Problem: 403, when it comes from another site, or says nothing.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        is_own = site == "same-origin"
    else:
        origin = headers.get("origin", "").lower().partition("://")[2]
        is_own = bool(origin) and origin == headers.get("host", "").lower()
    if not is_own:
        raise Problem(403, "The form was not sent by a page of this service.")


def form_fields(headers: Mapping[str, str], body: bytes) -> dict[str, str]:
    """Return the fields of a form.

    Raises:
        Problem: 400 or 415, when the body is none.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise Problem(415, f"The body must be {_TYPE}.")
    try:
        pairs = parse_qsl(body.decode("ascii"), True, True, errors="strict", max_num_fields=20)
    except ValueError:
        raise Problem(400, "The body is not a form.") from None
    if len(dict(pairs)) != len(pairs):
        raise Problem(400, "A field of the form is given twice.")
    return dict(pairs)


def pair_field(pair: Pair) -> str:
    """Return two ids as the value of a field, in which a browser changes nothing."""
    return "/".join(quote(id, safe="") for id in pair)


@dataclass(frozen=True)
class FormSeal:
    """Signs what a form is about, so that a caller can send what a page offered them alone.

    Attributes:
        secret: The key; all workers have the same.
        index: Name of the index.
    """

    secret: bytes
    index: str

    def token(self, caller: Caller, pair: Pair) -> str:
        """Return the signature of a pair for a caller."""
        parts = [self.index, caller.name, caller.account, caller.filters, pair]
        content = json.dumps(parts, sort_keys=True).encode()
        return hmac.new(self.secret, content, sha256).hexdigest()

    def pair(self, form: Mapping[str, str], caller: Caller) -> Pair:
        """Return the pair of a form.

        Raises:
            Problem: 403, when the signature is not that of this pair and this caller, as after the
                service was started again.
        """
        ids = tuple(map(unquote, form.get("pair", "").split("/")))
        token = form.get("token", "").encode()
        if len(ids) == 2 and hmac.compare_digest(token, self.token(caller, ids).encode()):
            return ids
        raise Problem(403, "The form has expired. Nothing was written; open the page again.")
