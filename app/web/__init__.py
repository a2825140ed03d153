"""HTML pages, one module a noun: form → service → page → template."""
