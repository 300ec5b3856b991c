"""What a crawl knows of its sites: which texts are on many pages of a site."""
