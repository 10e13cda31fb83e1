"""Judging sessions: assignment, labels, adjudication and export."""
