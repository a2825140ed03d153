"""Plans that move as few guests as possible away from the current one."""
