"""Languages: detection, words in normal form, Chinese segmentation."""
