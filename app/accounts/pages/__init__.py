"""The pages of accounts: getting in and out."""
