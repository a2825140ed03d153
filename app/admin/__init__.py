"""For whoever runs the installation: everyone's runs, health, metrics, retention."""
