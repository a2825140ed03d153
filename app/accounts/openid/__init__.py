"""Signing in through a provider (OpenID Connect), where the operator has set one up."""
