"""Version families over a whole index: who is a version of whom, one name for all of them."""

from es_simhash.families.dismissing import dismiss
from es_simhash.families.outcome import RULES, Choice, Family, Found, Rule
from es_simhash.families.running import find_families

__all__ = ["RULES", "Choice", "Family", "Found", "Rule", "dismiss", "find_families"]
