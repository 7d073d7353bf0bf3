"""Semantic neighbours through a real index, against human judgements, topics and events.

    python -m tests.bench.semantics [lee50 packages ...] [--vectors words256-minilm-l6-v1]

Prints correlation with people, precision and average precision beside `more_like_this` on the
same index, how much of the exact top ten the index brings, which relations are called versions,
and the bytes of the semantic fields. Everything at the shipped defaults: word vectors are learned
from each collection. All but `packages`, which are read from a mirror of Debian (DEBIAN_MIRROR),
needs the evaluation data.
"""

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise

import elasticsearch
import numpy as np

from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.questions.index import Index
from es_simhash.relation.relation import VERSION_KINDS, Relation, semantic_score
from es_simhash.relation.text_comparison import compare
from es_simhash.relation.thresholds import SHOWN_SCORE
from es_simhash.semantics.background import Background
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_profile import WordTable
from es_simhash.semantics.semantic_scheme import (
    DEFAULT_SEMANTICS,
    INDEX_VECTORS,
    WORD_VECTORS,
    SemanticScheme,
)
from es_simhash.semantics.vector_learning import VectorSample
from es_simhash.store.intents import FindBackground
from es_simhash.store.options import SearchOptions
from tests.bench.annotated_news import AnnotatedNews
from tests.bench.engines import bench_client
from tests.bench.indexing import filled_index
from tests.bench.package_descriptions import LANGUAGES, package_descriptions
from tests.bench.program import measure, run
from tests.bench.references import latent_semantics, more_like_this, tf_idf
from tests.support import datasets, rankings
from tests.support.datasets import pair

Documents = list[dict[str, str]]
_BATCH = 25
# Stories of wire_news whose neighbours are measured.
_QUERIES = 600
# Words of titles of German laws that are on one subject.
_SUBJECTS = (
    "meisterprüfung", "berufsausbildung", "geprüfte", "stiftung", "gedenkmünze", "steuer",
    "abkommen|übereinkommen|staatsvertrag", "kraftfahr|straßenverkehr", "luft|flug",
    "eisenbahn|schienen", "see(schiff|leute|fahrt|anlagen)|binnenschiff", "arzneimittel|apothek",
    "beamt|laufbahn|besoldung", "lebensmittel|fleisch|milch|wein", "rente|versorgung|ausgleichs",
    "strahlen|atom", "energie|strom|gas", "abfall|umwelt|naturschutz|immission",
)  # fmt: skip
# What collections are installed with in place of the default: the shipped vectors alone.
SHIPPED = SemanticScheme(DEFAULT_SEMANTICS.extractor, WORD_VECTORS)


def answers(index: Index, ids: Sequence[str], options: SearchOptions) -> dict[str, list[Relation]]:
    """Ask about every document, many in one request."""
    found: dict[str, list[Relation]] = {}
    for start in range(0, len(ids), _BATCH):
        asked = index.related_to_each(ids[start : start + _BATCH], options=options)
        found.update({id: list(relations) for id, relations in asked.items()})
    return found


def everything(size: int) -> SearchOptions:
    """Return what shows whole rankings: nothing cut by score, no copies left out.

    As by default, texts say whether passages are shared; without that, single shingles in common
    come before likeness in meaning.
    """
    return SearchOptions(size=size, min_score=0.0, evidence=False, collapse=False)


def exact(
    documents: Documents,
    background: Background | None = None,
    semantics: SemanticScheme = DEFAULT_SEMANTICS,
    table: WordTable | None = None,
) -> rankings.Matrix:
    """Return the exact similarities of all texts, without a background or with one."""
    texts = [each["text"] for each in documents]
    profiles = semantic_profiler(semantics, None, table).profile(texts)
    return rankings.similarities([replace(each, background=background) for each in profiles])


def counted_background(client: elasticsearch.Elasticsearch, index: Index) -> Background | None:
    """Count the background of an index, and print it; give documents what was learned with it."""
    started = time.perf_counter()
    semantics = index.config.semantics
    learns = semantics is not None and semantics.is_learned
    report = count_background(client, index.name, vectors=learns)
    print(f"  {report.sentence()} {time.perf_counter() - started:.1f} s")
    if report.vectors is not None and report.vectors.name is not None:
        outcomes = backfill(client, index.name, settings=BackfillSettings(processes=1))
        assert all(outcome.ok for outcome in outcomes)
        client.indices.refresh(index=index.name)
        index.related(text="The vectors that were learned are read now.")
    background: Background | None
    (background,) = index.store.ask([FindBackground()])
    return background


def report_lee(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print the correlation with human judgements of 50 news, alone and among 300 others."""
    judged, others = datasets.documents("lee50"), datasets.lines("lee50", "background.jsonl")
    for more in ([], others):
        _report_judged(client, [*judged, *more], semantics)


def _report_judged(
    client: elasticsearch.Elasticsearch, documents: Documents, semantics: SemanticScheme
) -> None:
    """Print the correlation of pairs of some texts, computed exactly and through the index."""
    place = {each["id"]: number for number, each in enumerate(documents)}
    rows = datasets.rows("lee50", "pairs.tsv")
    human = [float(row["human"]) for row in rows]
    print(f"\nlee50: {len(rows)} pairs judged by people, of {len(documents)} documents")
    with filled_index(client, "bench-lee50", documents, semantics=semantics) as index:
        background = counted_background(client, index)
        table = index.config.table
        queries = sorted({row[side] for row in rows for side in ("doc1", "doc2")})
        found = answers(index, queries, everything(len(documents)))
    matrix = exact(documents, background, semantics, table)
    direct = [_both_ways(matrix, place[row["doc1"]], place[row["doc2"]]) for row in rows]
    stored = np.zeros_like(matrix)
    for id, relations in found.items():
        for each in relations:
            if each.semantics is not None:
                stored[place[id], place[str(each.id)]] = each.semantics.similarity
    through = [_both_ways(stored, place[row["doc1"]], place[row["doc2"]]) for row in rows]
    shown = [semantic_score(similarity) for similarity in direct]
    measured = {"exact": direct, "through the index": through, "as the score shown": shown}
    for name, values in measured.items():
        print(
            f"  {name:18s} Pearson {rankings.pearson(values, human):.3f}  "
            f"Spearman {rankings.spearman(values, human):.3f}"
        )
    edges = (0.0, 0.3, 0.5, 0.7, 1.01)
    for low, high in pairwise(edges):
        group = [h for h, judged in zip(direct, human, strict=True) if low <= judged < high]
        if group:
            print(f"  judged {low:.1f} to {min(high, 1):.1f}: {len(group):4d} pairs, h "
                  f"{np.quantile(group, 0.25):.3f} to {np.quantile(group, 0.75):.3f}")  # fmt: skip


def _both_ways(matrix: rankings.Matrix, one: int, other: int) -> float:
    return float(matrix[one, other] + matrix[other, one]) / 2


def report_topics(
    client: elasticsearch.Elasticsearch,
    name: str,
    labels: Sequence[str],
    documents: Documents,
    *,
    semantics: SemanticScheme = DEFAULT_SEMANTICS,
    chinese: bool = False,
) -> None:
    """Print how many of the first ten are of the same kind, beside `more_like_this`.

    Plain TF-IDF, of character pairs in Chinese, and LSA alone rank the same texts.
    """
    ids = [each["id"] for each in documents]
    before = rankings.ranked(exact(documents))
    print(f"\n{name}: {len(documents)} documents")
    with filled_index(client, f"bench-{name}", documents, semantics=semantics) as index:
        background = counted_background(client, index)
        table = index.config.table
        found = answers(index, ids, everything(10))
        ours = [[str(each.id) for each in found[id]] for id in ids]
        theirs = [more_like_this(client, index.name, id) for id in ids]
    order = rankings.ranked(exact(documents, background, semantics, table))
    references = _references(documents, in_pairs=chinese)
    for label in labels:
        kinds = {each["id"]: each[label] for each in documents}
        values = [each[label] for each in documents]
        print(
            f"  {label:6s} precision@10 {_precision(ids, ours, kinds):.3f} through the index, "
            f"{rankings.precision_at(order, values):.3f} exact; "
            f"MAP {rankings.mean_average_precision(order, values):.3f}; "
            f"more_like_this {_precision(ids, theirs, kinds):.3f}"
        )
        print(
            f"  {'':6s} shipped vectors, no background: precision@10 "
            f"{rankings.precision_at(before, values):.3f}; "
            f"MAP {rankings.mean_average_precision(before, values):.3f}"
        )
        right, share = _shown(found, kinds)
        print(f"  {'':6s} shown by default: right {right:.3f}, of {share:.3f} of the documents")
        for reference, ranking in references.items():
            print(
                f"  {'':6s} {reference} precision@10 {rankings.precision_at(ranking, values):.3f}; "
                f"MAP {rankings.mean_average_precision(ranking, values):.3f}"
            )
    first = [{ids[place] for place in row[:10]} for row in order]
    brought = [len(one & set(other)) / 10 for one, other in zip(first, ours, strict=True)]
    print(f"  of the exact top ten the index brings {np.mean(brought):.4f}")


def _references(documents: Documents, *, in_pairs: bool) -> dict[str, rankings.Order]:
    """Return the rankings of other ways, by their names."""
    rows = tf_idf([each["text"] for each in documents], in_pairs=in_pairs)
    return {
        "TF-IDF": rankings.ranked(rows @ rows.T),
        "LSA alone": rankings.ranked(latent_semantics(rows)),
    }


def report_companions(
    client: elasticsearch.Elasticsearch,
    name: str,
    documents: Documents,
    *,
    semantics: SemanticScheme,
    in_pairs: bool = False,
) -> None:
    """Print how well the texts of a group find each other among all texts.

    Args:
        client: Of the engine.
        name: What is printed of the set.
        documents: With `group`; a text that is alone in its group is there to be confused with.
        semantics: Scheme of the index.
        in_pairs: Whether the texts are of a script without spaces.
    """
    groups = [each["group"] for each in documents]
    with filled_index(client, "bench-companions", documents, semantics=semantics) as index:
        background = counted_background(client, index)
        table = index.config.table
    ours = rankings.ranked(exact(documents, background, semantics, table))
    orders = {"es-simhash": ours, **_references(documents, in_pairs=in_pairs)}
    sizes = Counter(groups)
    asked = sum(sizes[group] > 1 for group in groups)
    print(f"\n{name}: {len(documents)} texts, {asked} with a companion")
    for way, order in orders.items():
        print(
            f"  {way:10s} companion first {rankings.first_right(order, groups):.3f}; "
            f"MAP {rankings.mean_average_precision(order, groups):.3f}"
        )


def report_languages(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print whether sentences that people find alike find each other, in six languages.

    And German laws: those on one subject, by their titles, and both halves of each, which have no
    sentence in common.
    """
    for language in ("de", "fr", "es", "en", "ja", "zh"):
        sentences = datasets.lines("stsb_multi", f"test_{language}.jsonl")
        is_spaced = language not in ("ja", "zh")
        report_companions(
            client, f"stsb_multi {language}", _sentence_groups(sentences),
            semantics=semantics, in_pairs=not is_spaced,
        )  # fmt: skip
    newest = {each["chain"]: each for each in datasets.documents("law_versions_de")}
    subjects = [
        {"id": chain, "text": each["text"], "group": _subject(each["title"]) or chain}
        for chain, each in newest.items()
    ]
    report_companions(client, "subjects of law_versions_de", subjects, semantics=semantics)
    halves = [
        {"id": f"{chain}-{side}", "text": text, "group": chain}
        for chain, each in newest.items()
        for side, text in enumerate(_halves(each["text"]))
    ]
    report_companions(client, "halves of law_versions_de", halves, semantics=semantics)


def _subject(title: str) -> str:
    """Return the subject of a German law by its title; none for most."""
    return next((name for name in _SUBJECTS if re.search(name, title, re.IGNORECASE)), "")


def _sentence_groups(sentences: Documents) -> Documents:
    """Return each sentence once, those of a pair with a score of 4 and more in one group."""
    texts = list(dict.fromkeys(each[side] for each in sentences for side in ("text1", "text2")))
    group = {text: number for number, text in enumerate(texts)}
    for each in sentences:
        if float(each["score"]) >= 4:
            joined, kept = group[each["text2"]], group[each["text1"]]
            group = {text: kept if of == joined else of for text, of in group.items()}
    return [
        {"id": str(number), "text": text, "group": str(group[text])}
        for number, text in enumerate(texts)
    ]


def _halves(text: str) -> tuple[str, str]:
    """Return a text in two, parted between two lines."""
    middle = text.rfind("\n", 0, len(text) // 2) + 1 or len(text) // 2
    return text[:middle], text[middle:]


def _shown(found: dict[str, list[Relation]], kinds: dict[str, str]) -> tuple[float, float]:
    """Return the share of what is shown by default that is right, and of documents with any."""
    shown = {
        id: [str(each.id) for each in relations if each.score >= SHOWN_SCORE]
        for id, relations in found.items()
    }
    right = [kinds[id] == kinds[other] for id, others in shown.items() for other in others]
    return float(np.mean(right)), float(np.mean([bool(others) for others in shown.values()]))


def _precision(ids: Sequence[str], lists: Sequence[Sequence[str]], kinds: dict[str, str]) -> float:
    right = sum(
        kinds[id] == kinds[other] for id, found in zip(ids, lists, strict=True) for other in found
    )
    return right / (10 * len(ids))


def report_ecbplus(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print topics and events, and that wire copies are called versions."""
    documents = datasets.documents("ecbplus")
    report_topics(client, "ecbplus", ("topic", "event"), documents, semantics=semantics)
    report_wire_copies(client, documents)


def report_wire_copies(client: elasticsearch.Elasticsearch, documents: Documents) -> None:
    """Print what is called a version, two texts alone and in an index of them all."""
    texts = {each["id"]: each["text"] for each in documents}
    rows = datasets.rows("ecbplus", "near_duplicates.tsv")
    listed = {pair(row["id1"], row["id2"]): float(row["containment"]) for row in rows}
    copies = [key for key, containment in listed.items() if containment >= 0.5]
    alone = sum(compare(texts[one], texts[other]).kind in VERSION_KINDS for one, other in copies)
    options = SearchOptions(size=1000, kinds=VERSION_KINDS, evidence=False, passages=False)
    with filled_index(client, "bench-wire", documents) as index:
        found = answers(index, list(texts), options)
    called = {pair(id, str(each.id)) for id, relations in found.items() for each in relations}
    print(
        f"  wire copies with containment >= 0.5 called versions: {alone} of {len(copies)} "
        f"compared, {len(called.intersection(copies))} through the index; "
        f"called versions with containment below: {len(called & listed.keys() - set(copies))} "
        f"listed, {len(called - listed.keys())} others"
    )


def report_bbc(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print topics of the texts that are no copies, and the bytes of the fields."""
    documents = [each for each in datasets.documents("bbc_news") if not each["exact_dup_of"]]
    report_topics(client, "bbc_news", ("topic",), documents, semantics=semantics)
    # Written once: what a backfill replaced would be measured as well.
    table = _learned_table(documents, semantics)
    sizes = {}
    for scheme in (None, semantics):
        with filled_index(
            client,
            "bench-bytes",
            documents,
            semantics=scheme,
            table=None if scheme is None else table,
        ) as index:
            client.indices.forcemerge(index=index.name, max_num_segments=1)
            client.indices.flush(index=index.name, force=True)
            client.indices.refresh(index=index.name)
            stats = client.indices.stats(index=index.name, metric="store")
            sizes[scheme] = stats["_all"]["primaries"]["store"]["size_in_bytes"] / len(documents)
    more = sizes[semantics] - sizes[None]
    print(
        f"  bytes a document: {sizes[None]:.0f} without semantic fields, {more:.0f} more with them"
    )


def _learned_table(documents: Documents, semantics: SemanticScheme) -> WordTable | None:
    if not semantics.is_learned:
        return None
    sample = VectorSample()
    sample.add(semantic_profiler(semantics).extractions([each["text"] for each in documents]))
    return sample.learned("2026-11-23T00:00:00Z", semantics.name)


def report_thucnews(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print topics of Chinese news."""
    documents = datasets.documents("thucnews_zh")
    report_topics(client, "thucnews_zh", ("topic",), documents, semantics=semantics, chinese=True)


def report_weibo(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print topics of short Chinese messages."""
    documents = datasets.documents("weibo_topics_zh")
    report_topics(
        client, "weibo_topics_zh", ("topic",), documents, semantics=semantics, chinese=True
    )


def report_packages(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print sections of Debian's packages by their descriptions in German, French and Spanish."""
    for language in LANGUAGES:
        documents = package_descriptions(language)
        report_topics(client, f"packages-{language}", ("topic",), documents, semantics=semantics)


def report_wire_news(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print how well neighbours of stories share their annotations, by default options.

    And without the versions of each story, which come first in its list and gain nothing.
    """
    news = AnnotatedNews()
    ids = sorted(random.Random(1).sample([each["id"] for each in news.documents], _QUERIES))
    print(f"\nwire_news: {len(news.documents)} documents, {_QUERIES} queries")
    options = SearchOptions(size=10, min_score=0.0, evidence=False)
    name = "bench-wire-news"
    with filled_index(client, name, news.documents, semantics=semantics) as index:
        for state in ("without a background", "with the background"):
            if state == "with the background":
                counted_background(client, index)
            found = answers(index, ids, options)
            lists = {id: [str(each.id) for each in found[id]] for id in ids}
            ndcg, unlike = news.measured(lists)
            print(f"  {state}: nDCG@10 {ndcg:.3f}; hits without a common annotation {unlike:.3f}")
        found = answers(index, ids, replace(options, kinds=("semantic", "shares_passages")))
        ndcg, unlike = news.measured({id: [str(each.id) for each in found[id]] for id in ids})
        print(
            f"  without versions: nDCG@10 {ndcg:.3f}; hits without a common annotation {unlike:.3f}"
        )
        theirs = {id: more_like_this(client, index.name, id) for id in ids}
    ndcg, unlike = news.measured(theirs)
    print(f"  more_like_this: nDCG@10 {ndcg:.3f}; hits without a common annotation {unlike:.3f}")


def report_laws(client: elasticsearch.Elasticsearch, semantics: SemanticScheme) -> None:
    """Print whether laws of other provinces on one subject are found, and as what."""
    documents = datasets.documents("law_versions_zh")
    subject = {each["id"]: (each["regional_topic"], each["province"]) for each in documents}
    relevant = defaultdict(set)
    for one, other in combinations(documents, 2):
        (topic, province), (same, elsewhere) = subject[one["id"]], subject[other["id"]]
        if topic and topic == same and province != elsewhere:
            relevant[one["id"]].add(other["id"])
            relevant[other["id"]].add(one["id"])
    with filled_index(client, "bench-laws", documents, semantics=semantics) as index:
        counted_background(client, index)
        found = answers(index, sorted(relevant), everything(60))
    precision, called = [], 0
    for id, wanted in relevant.items():
        called += sum(each.kind in VERSION_KINDS and each.id in wanted for each in found[id])
        # Versions, and its own province's texts on the subject, are no neighbours to be ranked.
        others = [
            str(each.id)
            for each in found[id]
            if each.kind not in VERSION_KINDS and subject[str(each.id)] != subject[id]
        ]
        precision.append(len(wanted & set(others[: len(wanted)])) / len(wanted))
    pairs = sum(map(len, relevant.values()))
    print(f"\nlaw_versions_zh: {len(relevant)} laws with the same subject in another province")
    print(f"  R-precision {np.mean(precision):.3f}; called versions {called} of {pairs}")


def report_clough() -> None:
    """Print what independent answers to one question are called."""
    texts = {each["id"]: each["text"] for each in datasets.documents("clough_stevenson")}
    rows = datasets.clough_pairs()
    independent = [row for row in rows if row["level"] == "non"]
    with_source = [compare(texts[row["doc"]], texts[row["source"]]).kind for row in independent]
    by_source = defaultdict(list)
    for row in independent:
        by_source[row["source"]].append(row["doc"])
    pairs = [two for group in by_source.values() for two in combinations(group, 2)]
    among = [compare(texts[one], texts[other]).kind for one, other in pairs]
    print("\nclough_stevenson: independent answers to one question")
    for name, kinds in (("with the source", with_source), ("among themselves", among)):
        told = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
        versions = sum(kind in VERSION_KINDS for kind in kinds)
        print(f"  {name}: called versions {versions} of {len(kinds)} ({told})")


REPORTS: dict[str, Callable[[elasticsearch.Elasticsearch, SemanticScheme], None]] = {
    "lee50": report_lee,
    "ecbplus": report_ecbplus,
    "bbc_news": report_bbc,
    "thucnews_zh": report_thucnews,
    "weibo_topics_zh": report_weibo,
    "law_versions_zh": report_laws,
    "wire_news": report_wire_news,
    "languages": report_languages,
    "packages": report_packages,
}


def main(argv: Sequence[str] | None = None) -> None:
    """Run the parts that are named, or all, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *REPORTS, "clough"], default=[])
    parser.add_argument("--vectors", choices=[WORD_VECTORS, INDEX_VECTORS], default=INDEX_VECTORS)
    options = parser.parse_args(argv)
    chosen = options.sets or [*REPORTS, "clough"]
    semantics = SHIPPED if options.vectors == WORD_VECTORS else DEFAULT_SEMANTICS
    with bench_client() as client:
        parts: list[Callable[[], None]] = [
            partial(REPORTS[name], client, semantics) for name in chosen if name in REPORTS
        ]
        if "clough" in chosen:
            parts.append(report_clough)
        measure(parts)


if __name__ == "__main__":
    run(main)
