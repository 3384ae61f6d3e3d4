"""What bench/gpu-frameworks runs on a GPU, and what it checks."""
