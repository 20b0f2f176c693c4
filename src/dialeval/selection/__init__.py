"""Response selection with well-chosen false candidates (Sato et al., 2020): build, vet, ask.

A question offers a context and candidate responses, one of them right. ``repository`` keeps the utterances that false
candidates come from, ``retrieving`` finds those like a ground truth, and ``building`` makes a draft of questions.
"""
