"""Alignment: the passages two texts share, verbatim, edited or paraphrased."""
