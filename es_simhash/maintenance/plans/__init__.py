"""What an index of many documents will cost, from a sample of them."""
