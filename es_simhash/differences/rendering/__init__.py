"""Changes as a person reads them: pieces of text, hunks, a unified diff, a page of HTML."""
