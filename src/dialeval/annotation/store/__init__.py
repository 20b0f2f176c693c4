"""The store of a rating study: raters, places, answers and events in SQLite or PostgreSQL."""
