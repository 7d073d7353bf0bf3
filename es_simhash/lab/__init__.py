"""Methods, evaluation and tuning: the core imports none of them."""
