"""The part of a study's page about scorers without references; computes nothing."""
