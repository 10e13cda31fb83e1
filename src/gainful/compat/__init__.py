"""Stand-ins for other evaluation tools: their names and calls, measured by Gainful."""
