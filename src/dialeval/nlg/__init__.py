"""Task-oriented generation: from dialogue acts to sentences, and what a sentence left out or added.

Sharma, El Asri, Schulz and Zumer (2017), "Relevance of Unsupervised Metrics in Task-Oriented Dialogue for Evaluating
Natural Language Generation".
"""
