"""What is installed, whether all of it works, and how fast it is on this machine."""
