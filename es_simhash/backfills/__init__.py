"""Adding the fields to documents that are indexed already."""
