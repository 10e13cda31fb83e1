"""One file a family of measures: its declaration, and what its parameters mean to the kernel."""
