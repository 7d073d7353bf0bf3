"""Pages of HTML: templates, styles and charts, rendered in one place."""
