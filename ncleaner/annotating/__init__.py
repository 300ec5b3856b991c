"""Pages cleaned by hand: labels on disk, the order of the pages, agreement, and the web page."""
