"""Tables as text, Markdown, LaTeX, delimited text and JSON."""
