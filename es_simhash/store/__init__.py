"""The only room that knows an engine: what is stored, how it is asked for, typed rows out."""
