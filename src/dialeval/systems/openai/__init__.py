"""Systems behind an OpenAI-compatible HTTP server: hosted ones, vLLM, the llama.cpp server and their like.

``OpenAI`` is the kind ``openai`` of a study. Answers are kept as they come, so that no question is paid for twice.
Importing this package brings neither an HTTP library nor asyncio.
"""

from dialeval.systems.openai.system import Budget, Layout, OpenAI, Prices

__all__ = ["Budget", "Layout", "OpenAI", "Prices"]
