"""What an account signs in with besides a password: codes from an app, recovery codes, passkeys."""
