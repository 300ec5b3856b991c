"""The names of facts: what pages call their title, date or author in meta tags and microdata."""

from __future__ import annotations

# The names of meta tags, microdata (items) and links that are read, by what they say, the most reliable
# first. Most statements of a page have other names. No name of a meta tag is in two places.
_WORDS = {
    "published": """
        article:published_time datepublished og:published_time citation_publication_date citation_date
        parsely-pub-date sailthru.date dc.date.issued dcterms.issued dcterms.created dc.date.created
        dc.date dcterms.date dc.created article:published article.published publish_date publish-date
        publication_date published_date pubdate publishdate rnews:datepublished
        cxenseparse:recs:publishtime article_date_original originalpublicationdate
        og:article:published_time bt:pubdate ptime publishtime article:publish_date date created
        datecreated release_date og:pubdate article.created prism.publicationdate eprints.date
        displaydate uploaddate
    """,
    "published items": "datepublished datecreated created issued pubdate uploaddate",
    "modified": """
        article:modified_time datemodified og:updated_time dcterms.modified dc.date.modified
        last-modified lastmod lastmodified article:modified article.updated dc.modified revision_date
        modified updated_time updated date.updated
    """,
    "modified items": "datemodified modified",
    "authors": """
        author citation_author parsely-author sailthru.author article:author dc.creator dcterms.creator
        dc.contributor.author creator byl article:author_name rbauthors og:article:author twitter:data1
        dcsext.author cxenseparse:author authors
    """,
    "title": "og:title",
    "other titles": """
        citation_title parsely-title dc.title dcterms.title twitter:title headline
        sailthru.title title
    """,
    "site": "og:site_name",
    "other sites": """
        application-name publisher dc.publisher citation_journal_title
        apple-mobile-web-app-title article:publisher
    """,
    "description": """
        description og:description twitter:description dc.description dcterms.description excerpt
    """,
    "tags": """
        article:tag news_keywords parsely-tags sailthru.tags keywords dc.subject dcterms.subject
        citation_keywords
    """,
    "licence": "dc.rights dcterms.license dcterms.rights license citation_license",
    "image": "og:image:secure_url og:image og:image:url twitter:image twitter:image:src image thumbnail",
    "address": "og:url",
    "links": "canonical",
    "rights": "robots x-robots-tag tdm-reservation tdm-policy",
}
NAMES = {said: tuple(names.split()) for said, names in _WORDS.items()}
