"""The pages of rules, and the page of one guest, which shows the rules about them."""
