"""N-best lists: is there an answer that does not contradict what was said, and how many are there?"""
