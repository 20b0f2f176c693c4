"""Bootstrap, jackknife and prediction-powered estimates."""
