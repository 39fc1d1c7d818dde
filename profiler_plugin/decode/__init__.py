"""Bytes of a profile → `HostTrace`, the columns every later layer reads."""
