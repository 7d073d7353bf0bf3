"""Settings of the property tests."""

from hypothesis import settings

# Machines that run tests are shared: a slow example is no failure. Examples are not kept on disk.
settings.register_profile("core", deadline=None, database=None, max_examples=60)
settings.load_profile("core")
