"""What a relation is: kinds, scoring, evidence, comparison; pure."""
