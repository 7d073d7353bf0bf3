"""The background of an index: counted from a sample of its texts, stored, and renewed."""
