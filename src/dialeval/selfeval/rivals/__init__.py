"""Rivals of SelF-Eval that are trained on nothing: likelihoods of a language model, and cosines of an encoder.

Importing this package brings neither torch nor onnxruntime.
"""
