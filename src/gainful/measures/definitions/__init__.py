"""The declarations of measures, one file per family."""
