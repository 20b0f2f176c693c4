"""The web app in which people rate: pages, JSON, sessions; FastAPI is imported only by ``app``."""
