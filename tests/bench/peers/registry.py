"""Every peer by its name, and what of them makes signatures."""

from collections.abc import Callable, Mapping, Sequence

from es_simhash.errors import InputError
from tests.bench.peers import gaoya_library, minhash_libraries, simhash_library, text_dedup_library
from tests.bench.peers.engine import Engines
from tests.bench.peers.min_hash import MinHashMatch, MinHashTerms
from tests.bench.peers.model import Peer
from tests.bench.peers.more_like_this import MoreLikeThis, RelativeMoreLikeThis
from tests.bench.peers.own import Own, sign_documents, sign_everything
from tests.bench.peers.vectors import BitKnn, DenseKnn, embeddings_of

OWN = "es-simhash"
Sign = Callable[[Sequence[str]], object]

_ON_ENGINES: tuple[Callable[[Engines], Peer], ...] = (
    Own,
    MoreLikeThis,
    RelativeMoreLikeThis,
    BitKnn,
    DenseKnn,
    MinHashMatch,
    MinHashTerms,
)
_IN_MEMORY: tuple[Callable[[], Peer], ...] = (
    simhash_library.PypiSimhash,
    minhash_libraries.Datasketch,
    minhash_libraries.Rensa,
    gaoya_library.GaoyaMinHash,
    gaoya_library.GaoyaSimhash,
    text_dedup_library.TextDedupMinHash,
    text_dedup_library.TextDedupSimhash,
)

# What is computed of a text, without putting it into an index; the first is what others are
# compared with.
SIGNATURES: Mapping[str, Sign] = {
    "es-simhash, everything stored": sign_everything,
    "es-simhash, document fingerprint": sign_documents,
    "simhash": simhash_library.sign,
    "datasketch": minhash_libraries.sign_datasketch,
    "rensa": minhash_libraries.sign_rensa,
    "gaoya-minhash": gaoya_library.sign_minhash,
    "gaoya-simhash": gaoya_library.sign_simhash,
    "text-dedup-minhash": text_dedup_library.sign_minhash,
    "text-dedup-simhash": text_dedup_library.sign_simhash,
    "dense-knn": embeddings_of,
}


def peers(engines: Engines) -> dict[str, Peer]:
    """Return all peers by their names, this project first; nothing is loaded or sent yet."""
    made = [*(make(engines) for make in _ON_ENGINES), *(make() for make in _IN_MEMORY)]
    return {peer.name: peer for peer in made}


def peer_names() -> list[str]:
    """Return the names of all peers."""
    return list(peers(Engines()))


def require_names(names: Sequence[str]) -> None:
    """Check names of peers.

    Raises:
        InputError: There is none of such a name.
    """
    for name in names:
        if name not in peer_names():
            raise InputError(f"Unknown peer {name!r}. Choose from {', '.join(peer_names())}.")
