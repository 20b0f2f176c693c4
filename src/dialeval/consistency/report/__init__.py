"""Tables and pages of consistency; computes nothing."""
