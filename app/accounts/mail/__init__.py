"""E-mail: what is written, and sending it in the background, where the operator has set up a mail server."""
