"""Whether the tests notice a change of the arithmetic and of decisions (`make test-mutation`)."""
