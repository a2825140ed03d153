"""What the JSON routes share: schemas, ETags, problem+json, OpenAPI."""
