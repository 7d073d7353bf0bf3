"""The explorer: pages of HTML on which a person searches an index and looks at what is related."""
