"""The judgement of a page in one call without the GIL: n-grams, features, forests, decision.

Each step is the function of another module, which training calls for itself. Here they follow each other on the tables
of one page. `ngrams.py`, `structure.py` and `hybrid.py` describe what they do and hold the numbers.
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from ncleaner._ngram cimport Encoder, Grams, score
from ncleaner.document._tables cimport HEADLINE, Tables, tables_t
from ncleaner.modelling._decision cimport Statistics, decide_rows, fill_statistics, probability
from ncleaner.modelling._forest cimport Forest, pad, padded
from ncleaner.modelling._page_features cimport average_rows, even_out_odds, fill_page
from ncleaner.modelling._segment_features cimport fill_segments
from ncleaner.modelling._terms cimport take_losses
from ncleaner.text._letters cimport may_change

cdef enum:
    MAX_KINDS = 16       # of pages

cdef double NATURAL = log(2)   # nats of a bit


# --------------------------------------------------------------------------------------------------
# n-grams.

cdef class NGramJudge:
    """N-grams as compiled code uses them.

    Args:
        grams, encoder: log-ratios of the n-grams, and the symbols that they consist of.
        statistics: of the decision.
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
    double* first        # probabilities of the first judgement
    double* second       # log-odds of the second judgement
    int32_t* rows        # segments that trees judge
    int32_t* unclear     # the rows that need all trees

# The layout of the features, and the constants of the judgement; `structure.py` explains them.
cdef struct rules_t:
    int width            # number of features
    int segment_columns  # number of features that need no judgement
    int kind_column      # first feature that is a kind of page
    int n_kinds          # kinds of pages, and two of them
    int article
    int fragment
    int links            # feature: share of the characters in links
    float outside        # value of all features outside the page
    double plain
    int early
    double clear
    double no_article
    double is_article
    double favour
    double no_fragment
    double many_links
    Py_ssize_t most      # segments that are judged together: of a page, and of a plain text
    Py_ssize_t most_of_text

# What the steps of a judgement leave behind for explanations.
cdef struct steps_t:
    float* matrix        # features, with the spare rows
    double* first        # log-odds of the first judgement
    double* judged       # log-odds of the last judgement
    double* evened       # then: contributions of each step
    double* favoured
    double* stock
    uint8_t* trees       # which trees have judged a segment
    double articles      # weight of the forest of articles

# Bits of `steps_t.trees`: the second judgement, all trees of the general forest, all trees of the forest of articles.
cdef enum:
    AGAIN = 1
    ALL_SECOND = 2
    ALL_ARTICLES = 4


cdef void note_change(
    double* out, const double* a, const double* b, const double* c, const double* odds, Py_ssize_t n
) noexcept nogil:
    """Writes what `odds` have over the sum of the steps before; `b` and `c` may be NULL."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = odds[i] - (a[i] + (b[i] if b != NULL else 0) + (c[i] if c != NULL else 0))


cdef class Steps:
    """Results of the steps of a judgement, for explanations; a judgement fills it if it gets one.

    A page of more segments than are judged together leaves it empty. All log-odds are in nats.

    Attributes:
        filled: whether a page has been judged.
        spare: rows of `matrix` at either end that are outside the page.
        matrix: shape (segments + 2 · spare, features), float32: the features.
        first: shape (segments,), float64, as all below: log-odds of the first judgement.
        judged: log-odds of the last judgement of each segment.
        evened: contribution of the segments of the same style.
        favoured: contribution of a page without boilerplate.
        stock: contribution of stock phrases, at most 0.
        ngrams: contribution of the n-grams to the judgement of a plain text.
        site: contribution of text that is on many pages of the site, at most 0.
        bar: the probability above which the page keeps a segment, 1 if it keeps none; for a model without threshold.
    """

    cdef steps_t s
    cdef readonly bint filled
    cdef readonly Py_ssize_t spare
    cdef readonly object matrix, first, judged, evened, favoured, stock, ngrams, site
    cdef object _trees
    cdef readonly double bar

    cdef void open(self, Py_ssize_t n, Py_ssize_t spare, Py_ssize_t width) except *:
        """Makes the arrays for a page of `n` segments."""
        cdef float[:, ::1] matrix
        cdef double[:, ::1] rows
        cdef uint8_t[::1] trees
        self.spare, self.bar = spare, 1
        self.matrix = np.zeros((n + 2 * spare + 1, width), np.float32)
        found = np.zeros((7, n + 1))
        self._trees = np.zeros(n + 1, np.uint8)
        matrix, rows, trees = self.matrix, found, self._trees
        self.s = steps_t(
            &matrix[0, 0], &rows[0, 0], &rows[1, 0], &rows[2, 0], &rows[3, 0], &rows[4, 0], &trees[0], 0
        )
        self.matrix, self._trees = self.matrix[:-1], self._trees[:-1]
        self.first, self.judged, self.evened, self.favoured, self.stock, self.ngrams, self.site = found[:, :-1]
        self.filled = True

    @property
    def articles(self):
        """Weight of the forest of articles in the second judgement, 0 to 1."""
        return self.s.articles

    @property
    def again(self):
        """Segments that are judged a second time: shape (segments,), bool."""
        return (self._trees & AGAIN).astype(bool)

    def by_all(self, forest):
        """Returns the segments that all trees of `second` or `articles` judge: shape (segments,), bool.

        The others are clear after the first trees."""
        return (self._trees & (ALL_ARTICLES if forest == "articles" else ALL_SECOND)).astype(bool)


cdef class StructureJudge:
    """A structure model as compiled code uses it.

    Args:
        first, second: the forests of the two judgements, over all features.
        kinds: the forest of the kinds of pages, over the features before the kinds, or None.
        articles: the forest of the second judgement of articles, or None.
        weights: shape (WEIGHTS,), float32: weights of the words in class, id and role.
        phrases, losses: hashes of stock phrases, uint32, ascending, and what they lose, float32.
        suspect: the features of segments in a block for other things.
        rules: layout and constants: the fields of `rules_t`, by name.

    Raises:
        ValueError: the parts do not fit each other.
    """

    cdef Forest first, second, kinds, articles
    cdef const float[::1] weights
    cdef const uint32_t[::1] phrases
    cdef const float[::1] losses
    cdef const int32_t[::1] suspect
    cdef Py_ssize_t spare
    cdef rules_t r

    def __init__(
        self, Forest first not None, Forest second not None, Forest kinds, Forest articles, weights, phrases, losses,
        suspect, dict rules not None,
    ):
        cdef rules_t r = rules
        self.first, self.second, self.kinds, self.articles = first, second, kinds, articles
        for forest in (first, second, articles):
            if forest is not None and (<Forest> forest).width != r.width:
                raise ValueError("a forest is for another number of features")
        if kinds is not None and (kinds.width != r.kind_column or kinds.reach or kinds.n_trees % r.n_kinds):
            raise ValueError("the forest of kinds does not fit the features")
        if not 0 < r.n_kinds <= MAX_KINDS or r.kind_column + r.n_kinds != r.width:
            raise ValueError("the features do not fit the kinds")
        self.weights, self.phrases, self.losses = weights, phrases, losses
        if self.phrases.shape[0] != self.losses.shape[0]:
            raise ValueError("phrases and losses differ in number")
        self.suspect = np.array(suspect, np.int32)
        self.spare = max((<Forest> forest).reach for forest in (first, second, articles) if forest is not None)
        self.r = r

    cdef Py_ssize_t _second(
        self, Forest forest, const float* first_row, const int32_t* chosen, Py_ssize_t some, double share,
        scratch_t* s
    ) noexcept nogil:
        """Adds the forest's share of the second judgement of the chosen segments to `s.second`, one for each of them.

        Most are clear after a few trees. Returns the number of the others, which are in `s.unclear`."""
        cdef Py_ssize_t i, unclear = 0, at = 0
        cdef double* odds = s.second
        memset(s.sums, 0, <size_t> padded(some) * sizeof(double))
        forest.add(first_row, chosen, padded(some), 0, self.r.early, s.sums)
        for i in range(some):
            if fabs(s.sums[i]) <= self.r.clear:
                s.unclear[unclear] = chosen[i]
                unclear += 1
        if unclear:
            pad(s.unclear, unclear)
            memset(s.sums + padded(some), 0, <size_t> padded(unclear) * sizeof(double))
            forest.add(first_row, s.unclear, padded(unclear), self.r.early, forest.n_trees, s.sums + padded(some))
        for i in range(some):
            if fabs(s.sums[i]) <= self.r.clear:
                odds[i] += share * (s.sums[i] + s.sums[padded(some) + at])
                at += 1
            else:
                odds[i] += share * s.sums[i]
        return unclear

    cdef void _kinds(
        self, const tables_t* t, const double* p, float* inner, float* page, double* kinds
    ) noexcept nogil:
        """Judges the kind of the page, and writes the probabilities of the kinds to its features, too."""
        cdef double most, total = 0
        cdef Py_ssize_t i
        cdef int k
        average_rows(t, p, inner, self.r.width, self.r.kind_column, self.r.plain, page)
        self.kinds.add_classes(page, self.r.n_kinds, kinds)
        most = kinds[0]
        for k in range(self.r.n_kinds):
            most = max(most, kinds[k])
        for k in range(self.r.n_kinds):
            kinds[k] = exp(kinds[k] - most)
            total += kinds[k]
        for k in range(self.r.n_kinds):
            kinds[k] /= total
        for i in range(t.n_segments):
            for k in range(self.r.n_kinds):
                inner[i * self.r.width + self.r.kind_column + k] = <float> kinds[k]

    cdef void _judge_again(
        self, Py_ssize_t n, const float* inner, const double* kinds, bint news, scratch_t* s, double* odds,
        steps_t* steps
    ) noexcept nogil:
        """Judges again the segments that are not plainly boilerplate."""
        cdef Py_ssize_t i, some = 0, unclear
        cdef double share = 0
        for i in range(n):
            if s.first[i] >= self.r.plain:
                s.rows[some] = <int32_t> i
                s.second[some] = 0
                some += 1
        if not some:
            return
        pad(s.rows, some)
        if self.articles is not None:
            share = 1 if news else min(
                max((kinds[self.r.article] - self.r.no_article) / (self.r.is_article - self.r.no_article), 0.0), 1.0
            )
        if steps != NULL:
            steps.articles = share
            for i in range(some):
                steps.trees[s.rows[i]] = AGAIN
        # most pages are clearly articles, or clearly not
        if share < 1:
            unclear = self._second(self.second, inner, s.rows, some, 1 - share, s)
            if steps != NULL:
                for i in range(unclear):
                    steps.trees[s.unclear[i]] |= ALL_SECOND
        if share > 0:
            unclear = self._second(self.articles, inner, s.rows, some, share, s)
            if steps != NULL:
                for i in range(unclear):
                    steps.trees[s.unclear[i]] |= ALL_ARTICLES
        for i in range(some):
            odds[s.rows[i]] = s.second[i]

    cdef void _favour(
        self, Py_ssize_t n, const float* inner, const double* kinds, double* odds
    ) noexcept nogil:
        """Raises the log-odds of a page without boilerplate."""
        cdef Py_ssize_t i, k
        cdef const float* x
        cdef bint suspect
        # a single segment has nothing beside it that could be the text
        cdef double weight = 1 if n == 1 and self.kinds is not None else kinds[self.r.fragment]
        if weight <= self.r.no_fragment:
            return
        for i in range(n):
            x = inner + i * self.r.width
            suspect = x[self.r.links] > self.r.many_links
            for k in range(self.suspect.shape[0]):
                suspect = suspect or x[self.suspect[k]] != 0
            if not suspect:
                odds[i] += self.r.favour * weight

    cdef bint _steps(
        self, const tables_t* t, const uint8_t* title, size_t title_length, const double* sums, const double* posterior,
        bint news, scratch_t* s, double* odds, double* kinds, steps_t* steps
    ) noexcept nogil:
        """Judges the segments of `t` as a page, in the memory of `s`. Returns False if there was not enough memory."""
        cdef Py_ssize_t n = t.n_segments, width = self.r.width, i
        cdef float* inner = s.matrix + self.spare * width
        for i in range(self.spare * width):
            s.matrix[i] = self.r.outside
            inner[n * width + i] = self.r.outside
        if not fill_segments(t, title, title_length, sums, posterior, &self.weights[0], inner, width):
            return False
        for i in range(n):
            s.rows[i] = <int32_t> i
        pad(s.rows, n)
        memset(s.sums, 0, <size_t> padded(n) * sizeof(double))
        self.first.add(inner, s.rows, padded(n), 0, self.first.n_trees, s.sums)
        for i in range(n):
            odds[i] = s.sums[i]
            s.first[i] = probability(odds[i])
        if not fill_page(t, s.first, self.r.plain, <int> self.spare, inner + self.r.segment_columns, width):
            return False
        if steps != NULL:
            memcpy(steps.first, odds, <size_t> n * sizeof(double))
        if self.kinds is not None:
            self._kinds(t, s.first, inner, s.page, kinds)
        self._judge_again(n, inner, kinds, news, s, odds, steps)
        if steps != NULL:
            memcpy(steps.matrix, s.matrix, <size_t> ((n + 2 * self.spare) * width) * sizeof(float))
            memcpy(steps.judged, odds, <size_t> n * sizeof(double))
        # the lines of a plain text are of no style
        if t.n_elements and not even_out_odds(t, odds):
            return False
        if steps != NULL:
            note_change(steps.evened, steps.judged, NULL, NULL, odds, n)
        self._favour(n, inner, kinds, odds)
        if steps != NULL:
            note_change(steps.favoured, steps.judged, steps.evened, NULL, odds, n)
        if self.phrases.shape[0]:
            take_losses(t, &self.phrases[0], &self.losses[0], self.phrases.shape[0], odds)
        if steps != NULL:
            note_change(steps.stock, steps.judged, steps.evened, steps.favoured, odds, n)
        return True

    cdef bint judge_part(
        self, const tables_t* t, const uint8_t* title, size_t title_length, const double* sums, const double* posterior,
        bint news, double* odds, double* kinds, steps_t* steps
    ) noexcept nogil:
        """Judges the segments of `t` as a page. Writes log-odds, the probabilities of the kinds of pages, and, if
        `steps` is not NULL, the results of the steps.

        Returns False if there was not enough memory."""
        cdef Py_ssize_t n = t.n_segments, rows = n + 2 * self.spare
        cdef scratch_t s
        memset(kinds, 0, <size_t> self.r.n_kinds * sizeof(double))
        s.matrix = <float*> malloc(<size_t> (rows * self.r.width + 1) * sizeof(float))
        s.page = <float*> calloc(<size_t> self.r.width, sizeof(float))
        s.sums = <double*> malloc(<size_t> (4 * padded(n) + 1) * sizeof(double))
        s.rows = <int32_t*> malloc(<size_t> (2 * padded(n) + 1) * sizeof(int32_t))
        cdef bint done = s.matrix != NULL and s.page != NULL and s.sums != NULL and s.rows != NULL
        if done:
            s.first = s.sums + 2 * padded(n)
            s.second = s.sums + 3 * padded(n)
            s.unclear = s.rows + padded(n)
            done = self._steps(t, title, title_length, sums, posterior, news, &s, odds, kinds, steps)
        free(s.matrix)
        free(s.page)
        free(s.sums)
        free(s.rows)
        return done

    cdef Py_ssize_t together(self, const tables_t* t) noexcept nogil:
        """Returns the largest number of segments of `t` that are judged together."""
        return self.r.most if t.n_elements else self.r.most_of_text

    cdef bint judge(
        self, const tables_t* t, const uint8_t* title, size_t title_length, const double* sums, const double* posterior,
        bint news, double* odds, double* kinds, steps_t* steps
    ) noexcept nogil:
        """Judges a page, as `judge_part`; a page of many segments in parts, without `steps`."""
        cdef double of_part[MAX_KINDS]
        cdef tables_t part = t[0]
        cdef Py_ssize_t first = 0, whole = 0, most = self.together(t)
        cdef int k
        if t.n_segments <= most:
            return self.judge_part(t, title, title_length, sums, posterior, news, odds, kinds, steps)
        memset(kinds, 0, <size_t> self.r.n_kinds * sizeof(double))
        while first < t.n_segments:
            part.segments = t.segments + first
            part.n_segments = min(most, t.n_segments - first)
            if not self.judge_part(
                &part, title, title_length, sums + first, posterior + first, news, odds + first, of_part, NULL
            ):
                return False
            # the last part may be too few segments to judge the kind of the page
            if part.n_segments == most:
                for k in range(self.r.n_kinds):
                    kinds[k] += of_part[k]
                whole += 1
            first += most
        for k in range(self.r.n_kinds):
            kinds[k] /= whole
        return True

    def read(self, Tables tables not None, bytes title not None, odds, posterior, bint news=False):
        """Judges the segments and the kind of a page.

        Args:
            tables: of the page.
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
        found, of_page = np.zeros(n), np.zeros(self.r.n_kinds)
        cdef double[::1] out = found
        cdef double[::1] kinds = of_page
        with nogil:
            done = self.judge(&tables.t, head, length, &sums[0], &after[0], news, &out[0], &kinds[0], NULL)
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
        share: weight of the statistic of the n-grams beside them.
        repeated, shared: losses of a segment whose text is on many pages of the site and, on an article, on another
            one, in nats.
        threshold: in bits; segments with at least these log-odds are kept. None: decide for the page as a whole.
        beta: weight of recall against precision in that decision.
        news: all pages are articles.
    """

    cdef NGramJudge ngrams
    cdef StructureJudge structure
    cdef double slope, offset, share, repeated, shared, threshold, beta
    cdef bint by_page, news

    def __init__(
        self, NGramJudge ngrams not None, StructureJudge structure not None, double slope, double offset, double share,
        double repeated, double shared, threshold, double beta, bint news,
    ):
        self.ngrams, self.structure = ngrams, structure
        self.slope, self.offset, self.share, self.beta, self.news = slope, offset, share, beta, news
        self.repeated, self.shared = repeated, shared
        self.by_page = threshold is None
        self.threshold = 0 if threshold is None else threshold

    def judge(self, Tables tables not None, bytes title not None, scored=None, on_site=None, Steps steps=None):
        """Judges the segments of a page, or of a plain text.

        Args:
            tables: of the page.
            title: UTF-8.
            scored: log-odds and counts of the n-grams, shapes (segments,), float64 in bits and uint32; None: those of
                the model, for text in normalisation form C.
            on_site: shape (segments,), uint8: how often each text is on other pages (`SiteCounts.repetition`); None:
                unknown.
            steps: gets the results of the steps; None: the caller does not explain the page.

        Returns:
            As `hybrid.Judgement`: mask, scores, kinds. None if the text is not in normalisation form C, and nothing is
            `scored`.
        """
        cdef const tables_t* t = &tables.t
        cdef Py_ssize_t n = t.n_segments, i
        cdef const uint8_t* head = <const uint8_t*> <const char*> title
        cdef size_t length = len(title)
        cdef bint composed, done = True, own = scored is not None
        cdef const uint8_t[::1] repetition
        cdef double loss
        cdef bint article
        mask, scores, kinds = np.zeros(n, bool), np.zeros(n), np.zeros(self.structure.r.n_kinds)
        cdef uint8_t[::1] kept = mask.view(np.uint8)
        cdef double[::1] odds = scores
        cdef double[::1] of_page = kinds
        # of the n-grams: sums, statistics, and what they add to the odds; of the segments: probabilities and weights
        cdef double* sums = <double*> malloc(<size_t> (n + 1) * (5 * sizeof(double) + sizeof(uint32_t)))
        cdef double* posterior = sums + n
        cdef double* added = sums + 2 * n
        cdef double* clean = sums + 3 * n
        cdef double* chars = sums + 4 * n
        cdef uint32_t* counts = <uint32_t*> (sums + 5 * n)
        cdef const double[::1] given
        cdef const uint32_t[::1] sizes
        cdef steps_t* found = NULL
        cdef double bar
        if sums == NULL:
            raise MemoryError
        try:
            if steps is not None and n <= self.structure.together(t):
                steps.open(n, self.structure.spare, self.structure.r.width)
                found = &steps.s
            if scored is not None:
                given, sizes = scored
                if given.shape[0] != n or sizes.shape[0] != n:
                    raise ValueError("the log-odds do not fit the document")
                for i in range(n):
                    sums[i] = given[i]
                    counts[i] = sizes[i]
            if on_site is not None:
                repetition = on_site
                if repetition.shape[0] != n:
                    raise ValueError("what the site repeats does not fit the document")
            with nogil:
                composed = own or self.ngrams.fill(t, sums, counts)
                if composed:
                    done = fill_statistics(&self.ngrams.statistics.s, sums, counts, n, posterior)
                    done = done and self.structure.judge(
                        t, head, length, sums, posterior, self.news, &odds[0], &of_page[0], found
                    )
                    for i in range(n):
                        odds[i] = self.slope * odds[i] + self.offset
                        if self.share:
                            added[i] = self.share * posterior[i] * NATURAL
                            odds[i] += added[i]
            if not composed:
                return None
            if not done:
                raise MemoryError
            if found != NULL and self.share:
                for i in range(n):
                    steps.ngrams[i] = added[i]
            if on_site is not None:
                article = self.news or kinds[self.structure.r.article] >= 0.5
                for i in range(n):
                    if t.segments[i].zone == HEADLINE or repetition[i] == 0:
                        continue
                    # SELDOM, OFTEN and KNOWN
                    loss = self.repeated if repetition[i] > 2 - article else self.shared if article else 0
                    odds[i] -= loss
                    if found != NULL:
                        steps.site[i] = -loss
            with nogil:
                if self.by_page:
                    for i in range(n):
                        # weigh by characters: not every script separates words
                        clean[i] = probability(odds[i])
                        chars[i] = t.segments[i].chars
                    bar = decide_rows(clean, chars, n, self.beta, &kept[0])
                for i in range(n):
                    odds[i] /= NATURAL
                    if not self.by_page:
                        kept[i] = odds[i] >= self.threshold
            if found != NULL and self.by_page:
                steps.bar = bar
        finally:
            free(sums)
        return mask, scores, kinds
