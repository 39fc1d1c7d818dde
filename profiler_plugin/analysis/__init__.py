"""Derived columns shared by tools: pure functions of a `HostTrace`, each computed once."""
