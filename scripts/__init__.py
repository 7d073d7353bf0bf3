"""Tools of the maintainers: each makes files that are shipped. The package imports none."""
