"""Pages cleaned by hand: their labels on disk, whose turn is next, what two people disagree
about, and the web page on which it is done."""
