"""The edge that all packages share: dependencies, rendering, problem+json, middleware."""
