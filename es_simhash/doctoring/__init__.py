"""How an index stands: what its documents have, and whether its fingerprints do their work.

`count_documents` gives the numbers, `examine` looks at a sample and says what to do. Both read
only.
"""

from es_simhash.doctoring.counting import Coverage, Status, count_documents
from es_simhash.doctoring.examining import Examination, examine
from es_simhash.doctoring.judging import Finding

__all__ = ["Coverage", "Examination", "Finding", "Status", "count_documents", "examine"]
