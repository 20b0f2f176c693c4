"""The contradiction detector: pairs, whole dialogues, calibration and metrics."""
