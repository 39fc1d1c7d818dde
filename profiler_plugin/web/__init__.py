"""Results over HTTP, inside TensorBoard and alone."""
