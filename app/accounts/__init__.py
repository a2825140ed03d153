"""Users, sign-in, sessions, API keys."""
