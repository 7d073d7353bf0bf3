"""Articles, and what is related to them."""
