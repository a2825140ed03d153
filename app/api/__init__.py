"""The REST API, version 1: the same nouns and services as the pages, with schemas."""
