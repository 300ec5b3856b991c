"""What is known of a page besides its text: what it says of itself, and figures that pipelines filter by."""
