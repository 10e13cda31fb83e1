/* A small main program around trec_eval 9.0.8.
 *
 * This benchmark times the compiled library of trec_eval 9.0.8 inside the pytrec_eval-terrier
 * wheel: its file readers, matching and measures, compiled with -O3, without its main(). The main()
 * in this file does the same as that of trec_eval: read both files, search each judged query
 * linearly among the results, measure, average and print.
 *
 * The library is a Python extension, so it refers to symbols of Python. Its functions are never
 * called from here, and lazy binding does not resolve them; the data symbols must exist when the
 * library is loaded, so dummies are defined below.
 *
 * Usage: trec_eval -m MEASURE[.PARAMETERS] QRELS RUN
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *PyExc_TypeError, *PyFloat_Type[64], *PySet_Type[64], *_Py_NoneStruct[16];

/* The interface of trec_eval 9.0.8, as far as it is used here. The order of fields matters. */

typedef struct {
    char *measure, *parameters;
} MeasureArgument;

typedef struct {
    long per_query, summary, debug_level;
    char *debug_query;
    long relational, average_complete, judged_only, collection_size, relevance_level, max_documents;
    char *qrels_format, *run_format;
    long zscore;
    MeasureArgument *arguments;
} Settings;

typedef struct {
    char *name;
    double value;
} Value;

typedef struct {
    char *query;
    long queries;
    Value *values;
    long count, reserved;
} Values;

typedef struct {
    char *query, *run, *format;
    void *documents;
} QueryResults;

typedef struct {
    long count, reserved;
    QueryResults *queries;
} Results;

typedef struct {
    char *query, *format;
    void *documents;
} QueryJudgments;

typedef struct {
    long count, reserved;
    QueryJudgments *queries;
} Judgments;

typedef struct measure {
    char *name, *explanation;
    int (*init)(Settings *, struct measure *, Values *);
    int (*calculate)(const Settings *, const QueryJudgments *, const QueryResults *,
                     const struct measure *, Values *);
    int (*accumulate)(const Settings *, const struct measure *, const Values *, Values *);
    int (*average)(const Settings *, const struct measure *, const Judgments *, Values *);
    int (*print_query)(const Settings *, const struct measure *, const Values *);
    int (*print_all)(const Settings *, struct measure *, Values *);
    void *parameters;
    long index;
} Measure;

enum { FAILED = -1, REQUESTED = -2 };

extern int te_num_trec_measures;
extern Measure *te_trec_measures[];
extern int te_get_qrels(Settings *, char *, Judgments *);
extern int te_get_trec_results(Settings *, char *, Results *);

static void die(const char *what, const char *which)
{
    fprintf(stderr, "trec_eval: %s '%s'\n", what, which);
    exit(1);
}

static Measure *find_measure(const char *name)
{
    for (int m = 0; m < te_num_trec_measures; m++)
        if (0 == strcmp(te_trec_measures[m]->name, name))
            return te_trec_measures[m];
    die("no measure", name);
    return NULL;
}

/* trec_eval looks a query up from the start of the results each time; that is part of its cost. */
static const QueryResults *find_results(const Results *results, const char *query)
{
    for (long i = 0; i < results->count; i++)
        if (0 == strcmp(results->queries[i].query, query))
            return &results->queries[i];
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 5 || strcmp(argv[1], "-m") != 0)
        die("usage: trec_eval -m MEASURE[.PARAMETERS] QRELS RUN, not", argc > 1 ? argv[1] : "");

    MeasureArgument arguments[2] = {{NULL, NULL}, {NULL, NULL}};
    char *dot = strchr(argv[2], '.');
    if (dot != NULL) {
        *dot = '\0';
        arguments[0] = (MeasureArgument) {argv[2], dot + 1};
    }
    Settings settings = {
        .summary = 1, .relational = 1, .relevance_level = 1, .max_documents = LONG_MAX,
        .qrels_format = "qrels", .run_format = "trec_results", .arguments = arguments,
    };
    Measure *measure = find_measure(argv[2]);
    measure->index = REQUESTED;

    Judgments judgments;
    Results results;
    if (FAILED == te_get_qrels(&settings, argv[3], &judgments))
        die("cannot read", argv[3]);
    if (FAILED == te_get_trec_results(&settings, argv[4], &results))
        die("cannot read", argv[4]);

    Values all = {.query = "all"};
    if (FAILED == measure->init(&settings, measure, &all))
        die("cannot begin", measure->name);
    Values one = {.count = all.count, .values = malloc(all.count * sizeof(Value))};
    if (one.values == NULL)
        die("no memory for", measure->name);
    memcpy(one.values, all.values, all.count * sizeof(Value));

    for (long i = 0; i < judgments.count; i++) {
        const QueryJudgments *judged = &judgments.queries[i];
        const QueryResults *found = find_results(&results, judged->query);
        if (found == NULL)
            continue;
        for (long v = 0; v < one.count; v++)
            one.values[v].value = 0;
        one.query = found->query;
        if (FAILED == measure->calculate(&settings, judged, found, measure, &one) ||
            FAILED == measure->accumulate(&settings, measure, &one, &all))
            die("cannot measure query", judged->query);
        all.queries++;
    }
    measure->average(&settings, measure, &judgments, &all);
    measure->print_all(&settings, measure, &all);
    return 0;
}
