"""Facts that responses keep, lose, contradict or add: quantities, dates, names, yes or no, and denials."""
