"""Rules that reduce several raters' votes to one label."""
