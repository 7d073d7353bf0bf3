"""Text as it is read: limits, normal form, tokens and chunks, offsets in the original; pure."""
