"""Put first on the path of a program that tests start: it may not reach the network, and what it tries is recorded."""

import support.sockets  # noqa: F401
