"""Whether anything grows while all that the product does runs for long (`make test-soak`)."""
