"""Combine the labels of several raters into one grade per document."""
