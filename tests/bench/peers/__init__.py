"""Other tools that find versions, beside this one: same texts, same truth, same run."""
