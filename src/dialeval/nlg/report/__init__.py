"""Pages about slot errors: tables of slots, and sentences with their slots underlined."""
