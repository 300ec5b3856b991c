"""The judgement of a page in one call without the GIL: n-grams, features, forests, decision.

Each step is the function of another module, which training calls for itself. Here they follow each other on the tables
of one page. `ngrams.py`, `structure.py` and `hybrid.py` describe what they do and hold the numbers.
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

import numpy as np

from ncleaner._ngram cimport Encoder, Grams, score
from ncleaner.document._tables cimport HEADLINE, Tables, tables_t
from ncleaner.modelling._chain cimport Statistics, fill_statistics
from ncleaner.modelling._decide cimport decide_rows, probability
from ncleaner.modelling._forest cimport Forest, pad, padded
from ncleaner.modelling._page_features cimport average_rows, even_out_odds, fill_page
from ncleaner.modelling._phrases cimport take_losses
from ncleaner.modelling._segment_features cimport fill_segments
from ncleaner.text._letters cimport may_change

cdef enum:
    MAX_KINDS = 16       # of pages
    MAX_SUSPECT = 8

cdef double NATURAL = log(2)   # nats of a bit


# --------------------------------------------------------------------------------------------------
# n-grams.

cdef class NGramJudge:
    """N-grams as compiled code uses them.

    Args:
        grams, encoder: log-ratios of the n-grams, and the symbols that they consist of.
        statistics: what the decision uses.
    """

    cdef Grams grams
    cdef Encoder encoder
    cdef Statistics statistics

    def __init__(self, Grams grams not None, Encoder encoder not None, Statistics statistics not None):
        self.grams, self.encoder, self.statistics = grams, encoder, statistics

    cdef bint fill(self, const tables_t* t, double* sums, uint32_t* counts) noexcept nogil:
        """Writes log-odds and counts of all segments. Returns False if the text may not be in normalisation form C."""
        cdef Py_ssize_t i
        if may_change(t.text, t.text + t.length):
            return False
        for i in range(t.n_segments):
            sums[i] = score(
                &self.grams.grams, &self.encoder.symbols, t.text + t.segments[i].start,
                t.segments[i].end - t.segments[i].start, &counts[i],
            )
        return True

    def of(self, Tables tables not None):
        """Returns the statistic of each segment of a page, in bits: shape (segments,), float64.

        None if the text may not be in normalisation form C.
        """
        cdef const tables_t* t = &tables.t
        cdef double* sums = <double*> malloc(<size_t> (t.n_segments + 1) * (sizeof(double) + sizeof(uint32_t)))
        cdef uint32_t* counts = <uint32_t*> (sums + t.n_segments)
        cdef bint composed, done = True
        if sums == NULL:
            raise MemoryError
        found = np.empty(t.n_segments)
        cdef double[::1] out = found
        with nogil:
            composed = self.fill(t, sums, counts)
            if composed:
                done = fill_statistics(&self.statistics.s, sums, counts, t.n_segments, &out[0])
            free(sums)
        if not done:
            raise MemoryError
        return found if composed else None


# --------------------------------------------------------------------------------------------------
# Structure.

# What the judgement of a page needs besides the model, in one piece of memory.
cdef struct scratch_t:
    float* matrix        # spare rows, a row for each segment, spare rows
    float* page          # features of the page
    double* sums         # of trees
    int32_t* rows        # that trees judge
    int32_t* unclear     # of them


cdef class StructureJudge:
    """A structure model as compiled code uses it.

    Args:
        first, second: the forests of the two judgements, over `width` features.
        kinds: the forest of the kinds of pages, over the first `kind_column` features, or None.
        articles: the forest of the second judgement of articles, or None.
        weights: shape (WEIGHTS,), float32: weights of the words in class, id and role.
        phrases, losses: hashes of stock phrases, uint32, ascending, and what they lose, float32.
        width: number of features.
        segment_columns: number of the features that need no judgement.
        kind_column: the first of the features that are the kinds of the page.
        n_kinds, article, fragment: number of kinds, and two of them.
        suspect: the columns that say that a segment is in a block for other things.
        links: the column of the share of characters in links.
        outside … many_links: the constants of `structure.py` and `features.py`.
        most: number of segments that are judged together.

    Raises:
        ValueError: the parts do not fit each other.
    """

    cdef Forest first, second, kinds, articles
    cdef const float[::1] weights
    cdef const uint32_t[::1] phrases
    cdef const float[::1] losses
    cdef Py_ssize_t spare, width, segment_columns, kind_column, early, most
    cdef int n_kinds, article, fragment, links, n_suspect
    cdef int suspect[MAX_SUSPECT]
    cdef float outside
    cdef double plain, clear, no_article, is_article, favour, no_fragment, many_links

    def __init__(
        self, Forest first not None, Forest second not None, Forest kinds, Forest articles, weights, phrases, losses,
        int width, int segment_columns, int kind_column, int n_kinds, int article, int fragment, suspect, int links,
        double outside, double plain, int early, double clear, double no_article, double is_article, double favour,
        double no_fragment, double many_links, Py_ssize_t most,
    ):
        self.first, self.second, self.kinds, self.articles = first, second, kinds, articles
        for forest in (first, second, articles):
            if forest is not None and (<Forest> forest).width != width:
                raise ValueError("a forest is for another number of features")
        if kinds is not None and (kinds.width != kind_column or kinds.reach or kinds.n_trees % n_kinds):
            raise ValueError("the forest of kinds does not fit the features")
        if not 0 < n_kinds <= MAX_KINDS or kind_column + n_kinds != width or len(suspect) > MAX_SUSPECT:
            raise ValueError("the features do not fit the kinds")
        self.weights, self.phrases, self.losses = weights, phrases, losses
        if self.phrases.shape[0] != self.losses.shape[0]:
            raise ValueError("there is not one loss for each phrase")
        self.spare = max((<Forest> forest).reach for forest in (first, second, articles) if forest is not None)
        self.width, self.segment_columns, self.kind_column = width, segment_columns, kind_column
        self.n_kinds, self.article, self.fragment, self.links = n_kinds, article, fragment, links
        self.n_suspect = len(suspect)
        for place, column in enumerate(suspect):
            self.suspect[place] = column
        self.outside, self.plain, self.early, self.clear = outside, plain, early, clear
        self.no_article, self.is_article = no_article, is_article
        self.favour, self.no_fragment, self.many_links, self.most = favour, no_fragment, many_links, most

    cdef void _second(
        self, Forest forest, const float* first_row, const int32_t* chosen, Py_ssize_t some, double share,
        scratch_t* s, double* odds
    ) noexcept nogil:
        """Adds the forest's share of the second judgement of the chosen segments to `odds`, one for each of them.

        Most are clear after a few trees."""
        cdef Py_ssize_t i, unclear = 0, at = 0
        memset(s.sums, 0, <size_t> padded(some) * sizeof(double))
        forest.add(first_row, chosen, padded(some), 0, self.early, s.sums)
        for i in range(some):
            if fabs(s.sums[i]) <= self.clear:
                s.unclear[unclear] = chosen[i]
                unclear += 1
        if unclear:
            pad(s.unclear, unclear)
            memset(s.sums + padded(some), 0, <size_t> padded(unclear) * sizeof(double))
            forest.add(first_row, s.unclear, padded(unclear), self.early, forest.n_trees, s.sums + padded(some))
        for i in range(some):
            if fabs(s.sums[i]) <= self.clear:
                odds[i] += share * (s.sums[i] + s.sums[padded(some) + at])
                at += 1
            else:
                odds[i] += share * s.sums[i]

    cdef bint judge_part(
        self, const tables_t* t, const uint8_t* title, size_t title_length, const double* sums, const double* posterior,
        bint news, double* odds, double* kinds
    ) noexcept nogil:
        """Judges the segments of `t` as a page. Writes log-odds, and the probabilities of the kinds of pages.

        Returns False if there was not enough memory."""
        cdef Py_ssize_t n = t.n_segments, rows = n + 2 * self.spare, i, some = 0
        cdef scratch_t s
        cdef double* p
        cdef double* second
        cdef float* inner
        cdef float* x
        cdef double share, weight, most, total
        cdef bint done, suspect
        cdef int k
        memset(kinds, 0, <size_t> self.n_kinds * sizeof(double))
        s.matrix = <float*> malloc(<size_t> (rows * self.width + 1) * sizeof(float))
        s.page = <float*> calloc(<size_t> self.width, sizeof(float))
        s.sums = <double*> malloc(<size_t> (4 * padded(n) + 1) * sizeof(double))
        s.rows = <int32_t*> malloc(<size_t> (2 * padded(n) + 1) * sizeof(int32_t))
        done = s.matrix != NULL and s.page != NULL and s.sums != NULL and s.rows != NULL
        if done:
            p = s.sums + 2 * padded(n)
            second = s.sums + 3 * padded(n)
            s.unclear = s.rows + padded(n)
            inner = s.matrix + self.spare * self.width
            for i in range(self.spare * self.width):
                s.matrix[i] = self.outside
                inner[n * self.width + i] = self.outside
            done = fill_segments(t, title, title_length, sums, posterior, &self.weights[0], inner, self.width)
        if done:
            for i in range(n):
                s.rows[i] = <int32_t> i
            pad(s.rows, n)
            memset(s.sums, 0, <size_t> padded(n) * sizeof(double))
            self.first.add(inner, s.rows, padded(n), 0, self.first.n_trees, s.sums)
            for i in range(n):
                odds[i] = s.sums[i]
                p[i] = probability(odds[i])
            done = fill_page(
                t, p, self.plain, <int> self.spare, inner + self.segment_columns, self.width
            )
        if done:
            if self.kinds is not None:
                average_rows(t, p, inner, self.width, self.kind_column, self.plain, s.page)
                self.kinds.add_classes(s.page, self.n_kinds, kinds)
                most = kinds[0]
                for k in range(self.n_kinds):
                    most = max(most, kinds[k])
                total = 0
                for k in range(self.n_kinds):
                    kinds[k] = exp(kinds[k] - most)
                    total += kinds[k]
                for k in range(self.n_kinds):
                    kinds[k] /= total
                for i in range(n):
                    for k in range(self.n_kinds):
                        inner[i * self.width + self.kind_column + k] = <float> kinds[k]
            for i in range(n):
                if p[i] >= self.plain:
                    s.rows[some] = <int32_t> i
                    second[some] = 0
                    some += 1
            if some:
                pad(s.rows, some)
                share = 0
                if self.articles is not None:
                    share = 1 if news else min(
                        max((kinds[self.article] - self.no_article) / (self.is_article - self.no_article), 0.0), 1.0
                    )
                # most pages are clearly articles, or clearly not
                if share < 1:
                    self._second(self.second, inner, s.rows, some, 1 - share, &s, second)
                if share > 0:
                    self._second(self.articles, inner, s.rows, some, share, &s, second)
                for i in range(some):
                    odds[s.rows[i]] = second[i]
            done = even_out_odds(t, odds)
        if done:
            # a single segment has nothing beside it that could be the text
            weight = 1 if n == 1 and self.kinds is not None else kinds[self.fragment]
            if weight > self.no_fragment:
                for i in range(n):
                    x = inner + i * self.width
                    suspect = x[self.links] > self.many_links
                    for k in range(self.n_suspect):
                        suspect = suspect or x[self.suspect[k]] != 0
                    if not suspect:
                        odds[i] += self.favour * weight
            if self.phrases.shape[0]:
                take_losses(t, &self.phrases[0], &self.losses[0], self.phrases.shape[0], odds)
        free(s.matrix)
        free(s.page)
        free(s.sums)
        free(s.rows)
        return done

    cdef bint judge(
        self, const tables_t* t, const uint8_t* title, size_t title_length, const double* sums, const double* posterior,
        bint news, double* odds, double* kinds
    ) noexcept nogil:
        """Judges a page, as `judge_part`; one of more than `most` segments in parts."""
        cdef double of_part[MAX_KINDS]
        cdef tables_t part = t[0]
        cdef Py_ssize_t first = 0, whole = 0
        cdef int k
        if t.n_segments <= self.most:
            return self.judge_part(t, title, title_length, sums, posterior, news, odds, kinds)
        memset(kinds, 0, <size_t> self.n_kinds * sizeof(double))
        while first < t.n_segments:
            part.segments = t.segments + first
            part.n_segments = min(self.most, t.n_segments - first)
            if not self.judge_part(
                &part, title, title_length, sums + first, posterior + first, news, odds + first, of_part
            ):
                return False
            # the last part may be a few segments that say nothing about the page
            if part.n_segments == self.most:
                for k in range(self.n_kinds):
                    kinds[k] += of_part[k]
                whole += 1
            first += self.most
        for k in range(self.n_kinds):
            kinds[k] /= whole
        return True

    def read(self, Tables tables not None, bytes title not None, odds, posterior, bint news=False):
        """Judges the segments and the kind of a page.

        Args:
            tables: those of the page.
            title: UTF-8.
            odds, posterior: shape (segments,), float64: log-odds and statistics of the n-grams, in bits.
            news: the page is an article, whatever it looks like.

        Returns:
            Log-odds of the segments, shape (segments,), and probabilities of the kinds of pages, shape (kinds,), all 0
            if the model does not know them; float64.

        Raises:
            ValueError: there is not one value for each segment.
        """
        cdef const double[::1] sums = odds
        cdef const double[::1] after = posterior
        cdef Py_ssize_t n = tables.t.n_segments
        cdef const uint8_t* head = <const uint8_t*> <const char*> title
        cdef size_t length = len(title)
        cdef bint done
        if sums.shape[0] != n or after.shape[0] != n:
            raise ValueError("the log-odds do not fit the document")
        found, of_page = np.zeros(n), np.zeros(self.n_kinds)
        cdef double[::1] out = found
        cdef double[::1] kinds = of_page
        with nogil:
            done = self.judge(&tables.t, head, length, &sums[0], &after[0], news, &out[0], &kinds[0])
        if not done:
            raise MemoryError
        return found, of_page


# --------------------------------------------------------------------------------------------------
# The whole hybrid.

cdef class HybridJudge:
    """A hybrid model as compiled code uses it.

    Args:
        ngrams: the n-grams.
        structure: the structure model.
        slope, offset: calibration of the structure model's log-odds, in nats.
        repeated: what a segment loses whose text is on many pages of the site, in nats.
        threshold: in bits; segments with at least these log-odds are kept. None: decide for the page as a whole.
        beta: weight of recall against precision in that decision.
        news: all pages are articles.
    """

    cdef NGramJudge ngrams
    cdef StructureJudge structure
    cdef double slope, offset, repeated, threshold, beta
    cdef bint by_page, news

    def __init__(
        self, NGramJudge ngrams not None, StructureJudge structure not None, double slope, double offset,
        double repeated, threshold, double beta, bint news,
    ):
        self.ngrams, self.structure = ngrams, structure
        self.slope, self.offset, self.repeated, self.beta, self.news = slope, offset, repeated, beta, news
        self.by_page = threshold is None
        self.threshold = 0 if threshold is None else threshold

    def judge(self, Tables tables not None, bytes title not None, scored=None, on_site=None):
        """Judges the segments of an HTML page.

        Args:
            tables: those of the page.
            title: UTF-8.
            scored: log-odds and counts of the n-grams, shapes (segments,), float64 in bits and uint32; None: those of
                the model, for text in normalisation form C.
            on_site: shape (segments,), bool: segments whose text is on many pages of the site; None if there are none.

        Returns:
            As `hybrid.Judgement`: mask, scores, kinds. None if the text is not in normalisation form C, and nothing is
            `scored`.
        """
        cdef const tables_t* t = &tables.t
        cdef Py_ssize_t n = t.n_segments, i
        cdef const uint8_t* head = <const uint8_t*> <const char*> title
        cdef size_t length = len(title)
        cdef bint composed, done = True, own = scored is not None
        cdef const uint8_t[::1] repeated
        mask, scores, kinds = np.zeros(n, bool), np.zeros(n), np.zeros(self.structure.n_kinds)
        cdef uint8_t[::1] kept = mask.view(np.uint8)
        cdef double[::1] odds = scores
        cdef double[::1] of_page = kinds
        cdef double* sums = <double*> malloc(<size_t> (n + 1) * (2 * sizeof(double) + sizeof(uint32_t)))
        cdef double* posterior = sums + n
        cdef uint32_t* counts = <uint32_t*> (sums + 2 * n)
        cdef const double[::1] given
        cdef const uint32_t[::1] sizes
        if sums == NULL:
            raise MemoryError
        try:
            if scored is not None:
                given, sizes = scored
                if given.shape[0] != n or sizes.shape[0] != n:
                    raise ValueError("the log-odds do not fit the document")
                for i in range(n):
                    sums[i] = given[i]
                    counts[i] = sizes[i]
            if on_site is not None:
                repeated = on_site.view(np.uint8)
                if repeated.shape[0] != n:
                    raise ValueError("what the site repeats does not fit the document")
            with nogil:
                composed = own or self.ngrams.fill(t, sums, counts)
                if composed:
                    done = fill_statistics(&self.ngrams.statistics.s, sums, counts, n, posterior)
                    done = done and self.structure.judge(
                        t, head, length, sums, posterior, self.news, &odds[0], &of_page[0]
                    )
                    for i in range(n):
                        odds[i] = self.slope * odds[i] + self.offset
            if not composed:
                return None
            if not done:
                raise MemoryError
            if on_site is not None:
                for i in range(n):
                    if repeated[i] and t.segments[i].zone != HEADLINE:
                        odds[i] -= self.repeated
            with nogil:
                if self.by_page:
                    for i in range(n):
                        # weigh by characters: not every script separates words
                        sums[i] = probability(odds[i])
                        posterior[i] = t.segments[i].chars
                    decide_rows(sums, posterior, n, self.beta, &kept[0])
                for i in range(n):
                    odds[i] /= NATURAL
                    if not self.by_page:
                        kept[i] = odds[i] >= self.threshold
        finally:
            free(sums)
        return mask, scores, kinds
