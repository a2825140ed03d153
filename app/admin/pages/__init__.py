"""Pages for whoever runs the installation."""
