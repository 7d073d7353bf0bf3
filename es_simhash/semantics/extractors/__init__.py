"""What reads words, phrases and entities from a text: built-in rules, or a spaCy pipeline."""
