"""What HTML pages share: rendering, forms, words and numbers."""
