"""Named entities: found by rules, or taken from fields of the document."""
