"""Instance-level validation of measures, on single responses."""
