"""Response selection with well-chosen false candidates (Sato et al., 2020): build, vet, look at, ask.

A question offers a context and candidate responses, one of them right.

- Build: ``repository`` keeps the utterances that false candidates come from, ``retrieving`` finds those like a ground
  truth, and ``building`` makes a draft of questions.
- Vet: ``tasks`` asks people about every candidate, ``scores`` reads what they answer, and ``vetting`` applies the
  ``rules``. Where there are no people, ``plausibility`` is a first sieve.
- Say why candidates are false: ``labelling`` by people, ``mistakes`` by guesses, ``consistency_subset`` for those that
  contradict their context.
- Look at the set: ``statistics``, and ``artefacts`` that give its answers away.
- Ask: ``choosing`` asks one system, ``asking`` several, ``measures`` are the metrics over choices, and ``trials`` holds
  random candidates against the chosen ones.
"""
