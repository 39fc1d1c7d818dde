"""Comparison of our tools with another profiler's recorded answers. Run it with `scripts/conformance`."""
