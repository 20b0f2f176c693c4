"""Training and cross-validation of the detector, and of the dialogue-act labeller."""
