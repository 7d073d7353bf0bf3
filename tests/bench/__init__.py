"""Benchmarks: every figure of the documentation is printed by a module of this package."""
