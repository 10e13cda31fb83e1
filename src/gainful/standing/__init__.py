"""Where systems stand."""
