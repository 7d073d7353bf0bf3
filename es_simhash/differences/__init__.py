"""Changes between two versions of a text: alignment, moved blocks, key changes; pure."""
