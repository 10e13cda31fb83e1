"""A shop's measure and rating format for Gainful."""
