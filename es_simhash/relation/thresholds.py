"""Every threshold and weight by which relations and families are decided.

They were chosen on their plateau over several collections at once; docs/relations.md and
docs/families.md have the measurements.
"""

from typing import Literal

# --- Relations: kinds and scores ---

# Name of the way versions are scored, by these numbers, the weights and the formula: whatever
# changes the score of two texts gets a new one (tests/relation/test_thresholds.py). What is stored
# without a name was stored before there were any, by the first.
SCORING = "versions-v2"
FIRST_SCORING = "versions-v2"

# Digits of scores and coverages.
SCORE_DIGITS = 4
# From this score on a relation is a version (or an excerpt, or its whole).
VERSION_SCORE = 0.6
# What `related` shows by default: in a large index less is shared by chance and by boilerplate.
SHOWN_SCORE = 0.3
# From this score on two compared texts share passages.
SHARED_SCORE = 0.03
# Semantic scores are linear in the similarity up to this one, which has the score 0.3 and is the
# same story line in news, and from there to where versions begin (docs/semantic-neighbours.md).
SHOWN_SIMILARITY = 0.34
# Documents that a search leaves unread are nearer in meaning than they seem by at most this; of
# 1,440 answers twelve lacked one of the ten best. The second number is for vectors that are found
# by their fingerprints (docs/semantic-neighbours.md).
UNREAD_MARGIN, FINGERPRINT_MARGIN = 0.02, 0.05

# A share counted on few shingles is unsure: what the chunks say counts like this many more, so that
# one shingle of a short text, found in a long one, says little.
PRIOR_SHINGLES = 1.5
# Resembling text adds this part of its share to what is copied word for word.
RESEMBLANCE_WEIGHT = 0.25

# --- Shingles that are queried of a text; all of one that has fewer (docs/guarantee.md) ---

# By `related`, on average. Both sides are scored by them, so that an index needs no more of a text
# than the query asks for.
QUERIED_SHINGLES = 896
# By `families`, on average, as every document of an index is queried.
FAMILY_SHINGLES = 128
# By decisions at ingest. Eight find nearly as many versions, sixteen no more
# (docs/ingest.md#de-duplicate).
INGEST_SHINGLES = 12

# --- Versions ---

# Shingles two texts must share to be scored by them; one where a text has four or fewer.
LEAST_SHARED = 2
# Texts that share less than this are no versions, whatever they begin with: a letterhead.
LEAST_BODY = 0.25
# The same of a text and one more than LENGTH_RATIO times as long.
LEAST_EXCERPT = 0.5
# Resembling text counts this part of its share in what they share.
VERSION_RESEMBLANCE_WEIGHT = 0.5
# Texts of the first two classes of windows, up to 128 tokens, are weighed as records.
RECORD_LEVEL = 1
# Weight of records where one of two texts is of the next class.
LARGER_RECORD_WEIGHT = 0.25

# --- Kinds ---

# One text lies in the other when its coverage is this high, and the other's at most this part of
# it.
CONTAINED_COVERAGE, CONTAINED_RATIO = 0.6, 0.5

# --- Common text ---

# Text that this many other documents have as well is common: a letterhead, a licence, navigation.
COMMON_DOCUMENTS = 5
# Passages of which this share is common say nothing about two documents.
BOILERPLATE = 0.8
# Over a whole index, text that so many owners or families have is common.
COMMON_GROUPS = 6
# Texts of one owner, of no family, are one chain where one has so much of the other's shingles.
KEPT_OF_CHAIN = 0.5

# --- Resemblance of chunks ---

# Chunks whose fingerprints have at most this cosine count as different, from the second as equal.
DIFFERENT_COSINE, EQUAL_COSINE = 0.6, 0.95
# Neighbours that have this much of their chunks in common are shown once.
COPY_RESEMBLANCE = 0.5

# --- Passages (docs/passages.md has the measurements) ---

# Two sentences from these on may belong to one passage: cosine of their rare words, share of their
# words in common.
SEED_COSINE, SEED_DICE = 0.27, 0.27
# Other pairs of both sentences may be so many times as strong.
SEED_CLEARNESS = 0.75
# So may two sentences with a run of so many equal tokens; shorter ones are turns of phrase.
COPIED_RUN = 8
# Seeds of a passage are at most so many sentences apart in both texts.
PASSAGE_GAP = 4
# A summary takes its sentences from all over the other text, which is at least so many times as
# long, from at least so many places.
SUMMARY_GAP, SUMMARY_RATIO, SUMMARY_SEEDS = 50, 3, 3
# A passage with this score is no part of a summary.
COPIED_SCORE = 0.8
# Two stretches with a lower cosine of their words are no passage, or no summary.
PASSAGE_COSINE, SUMMARY_COSINE = 0.4, 0.25
# Two stretches that share less information (rare words, in nats) or fewer letters in equal runs
# may do so by chance. Of short texts a share of the information or the letters of the shorter is
# enough, but no less than the second numbers.
PASSAGE_INFORMATION, SHORT_INFORMATION = 40.0, 22.0
PASSAGE_LETTERS, SHORT_LETTERS = 80.0, 40.0
PASSAGE_SHARE = 0.1
# Of the information of a passage, so much is in its seeds.
INFORMED_SEEDS = 0.75
# A passage is trimmed to its equal runs where these are this share of what is left, and at most
# that share of what is cut off has counterparts.
TRIMMED_COPIED, TRIMMED_RELATED = 0.6, 0.45
# Kinds of passages by the share of their tokens that is in equal runs.
ReuseKind = Literal["verbatim", "edited", "paraphrased"]
REUSE_KINDS: tuple[ReuseKind, ...] = ("verbatim", "edited", "paraphrased")
VERBATIM_KEPT, EDITED_KEPT = 0.9, 0.4

# --- Removed texts (docs/ingest.md has the measurements) ---

# Share of the words of a text that may be lost where another one stays in its place.
LOSE = 0.02

# --- Families ---

# A text more than this many times as long as another is in no family with it; it may contain it.
LENGTH_RATIO = 8
# A member that is no version of the representative is linked with it by versions of this score and
# more, small steps, and keeps this share of it.
STEP_SCORE = 0.92
LEAST_KEPT = 0.1
