"""Branch coverage of what decides about versions and of what undoes it."""
