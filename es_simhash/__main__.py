"""`python -m es_simhash` runs the command line."""

from es_simhash.cli import main

main()
