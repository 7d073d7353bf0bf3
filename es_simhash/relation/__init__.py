"""Relations of two texts: kinds, scoring, evidence, comparison; pure."""
