"""Work over a whole index: backfill, families, copies, sweep, diagnosis and reports."""
