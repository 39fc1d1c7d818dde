"""`python -m profiler_plugin`."""

from profiler_plugin.cli import main

main()
