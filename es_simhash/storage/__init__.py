"""The `simhash` object in a document: fields, encodings, mappings, pipeline; plain dicts."""
