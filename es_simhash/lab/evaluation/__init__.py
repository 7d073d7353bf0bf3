"""Methods measured on labelled pairs: figures, tables and plots, and files of labels."""
