"""What unrated pairs are probably worth, and which question to ask next."""
