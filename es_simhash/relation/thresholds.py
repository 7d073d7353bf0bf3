"""Every threshold and weight by which relations and families are decided.

They were chosen on their plateau over several collections at once; docs/relations.md and
docs/families.md have the measurements.
"""

# --- Relations: kinds and scores ---

# From this score on a relation is a version (or an excerpt, or its whole).
VERSION_SCORE = 0.6
# What `related` shows by default: in a large index less is shared by chance and by boilerplate.
SHOWN_SCORE = 0.3
# From this score on two compared texts share passages.
SHARED_SCORE = 0.03
# Semantic scores are linear in the similarity up to this one, which has the score 0.3 and is the
# same story line in news, and from there to where versions begin (docs/semantic-neighbours.md).
SHOWN_SIMILARITY = 0.3027

# A share counted on few shingles is unsure: what the chunks say counts like this many more, so that
# one shingle of a short text, found in a long one, makes no version.
PRIOR_SHINGLES = 1.5
# Resembling text adds a quarter of its share to what is copied word for word.
RESEMBLANCE_WEIGHT = 0.25
# Versions begin where this much of a text is copied or resembles: half of it.
VERSION_SHARE = 0.5
# Where a token is a character, four in a row are two words, and any two texts have more of them in
# common. Scripts with spaces have four characters a token and more, the space among them.
VERSION_SHARE_OF_CHARACTERS = 0.65
CHARACTERS_PER_WORD = 3
# A document within the promised Hamming distance is a version when its chunks resemble as well.
RESEMBLING = 0.7
# One text lies in the other when its coverage is this high, and the other's at most this part of
# it.
CONTAINED_COVERAGE, CONTAINED_RATIO = 0.6, 0.5

# --- Resemblance of chunks ---

# Chunks whose fingerprints have at most this cosine count as different, from the second as equal.
DIFFERENT_COSINE, EQUAL_COSINE = 0.6, 0.95
# A shingle or chunk in more documents than this counts less: this number over its frequency.
RARE = 4
# Chunks within this distance are one and the same for counting in how many documents they are.
SAME_CHUNK = 20
# Neighbours that have this much of their chunks in common are shown once.
COPY_RESEMBLANCE = 0.5

# --- Evidence ---

# Chunks farther apart than this say nothing to a reader, whatever little they add to the score.
READABLE_DISTANCE = 32
# Shorter runs of equal words are turns of phrase.
MIN_PASSAGE_WORDS = 6

# --- Families ---

# From this score on two texts are linked as versions. 0.70 to 0.74 is a plateau; it has to be above
# 0.7, which records of the same words reach when all of their numbers differ.
LINK_SCORE = 0.72
# Minimum score of a member with the representative of its family.
MEMBER_SCORE = 0.5
# The head of a text, its title and what surrounds it, in tokens.
HEAD_TOKENS = 32
# Texts of the first two classes of windows, up to 128 tokens, are compared as records.
RECORD_LEVEL = 1
# Where the smaller share of the shingles two texts have in common is this high, they are linked
# whatever their heads.
COPIED = 0.85
# A text more than this many times as long as another is no version of it; it may contain it.
LENGTH_RATIO = 8
# Weight of the numbers in the agreement of two records; 0.2 to 0.4 are a plateau.
NUMBERS_WEIGHT = 0.3
