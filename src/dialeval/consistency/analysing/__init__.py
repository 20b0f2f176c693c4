"""What makes systems contradict themselves, and what the detector misses."""
