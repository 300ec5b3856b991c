"""What is known of a page besides its text: its metadata, and figures that pipelines filter by."""
