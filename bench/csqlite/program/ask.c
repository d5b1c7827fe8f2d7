/* Runs SQL that it is told on its standard input, in the C SQLite of this machine, and
 * says how long it took. The protocol is in csqlite.go. */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_STATEMENTS = 4096, MAX_BINDINGS = 64 };

struct binding { char name[64]; char kind; long long number; char *text; int length; };
struct statement { char *sql; int length; int bindings; struct binding bound[MAX_BINDINGS]; sqlite3_stmt *kept; };

static struct statement *statements[MAX_STATEMENTS];
static int count, snapshot;
static sqlite3 *db;
static long long rows, bytes;

static void die(const char *what) {
  printf("error %s: %s\n", what, db ? sqlite3_errmsg(db) : "");
  exit(1);
}

static char *text_of(int length) {
  char *text = malloc((size_t)length + 1);
  if (!text || fread(text, 1, (size_t)length, stdin) != (size_t)length) die("input");
  text[length] = 0;
  return text;
}

static sqlite3_stmt *prepared(const struct statement *s) {
  sqlite3_stmt *stmt;
  if (sqlite3_prepare_v2(db, s->sql, s->length, &stmt, 0)) die(s->sql);
  return stmt;
}

static void bind(sqlite3_stmt *stmt, const struct binding *b) {
  int at = b->name[0] == ':' ? sqlite3_bind_parameter_index(stmt, b->name) : atoi(b->name);
  if (at < 1 || at > sqlite3_bind_parameter_count(stmt)) return; /* a name that this query does not use */
  int rc = b->kind == 'i' ? sqlite3_bind_int64(stmt, at, b->number)
         : b->kind == 't' ? sqlite3_bind_text(stmt, at, b->text, b->length, SQLITE_STATIC)
                          : sqlite3_bind_null(stmt, at);
  if (rc) die("bind");
}

static void ask(struct statement *s, int keep) {
  if (keep && !s->kept) s->kept = prepared(s);
  sqlite3_stmt *stmt = keep ? s->kept : prepared(s);
  for (int i = 0; i < s->bindings; i++) bind(stmt, &s->bound[i]);
  int rc;
  while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
    rows++;
    for (int c = 0, n = sqlite3_column_count(stmt); c < n; c++) {
      if (sqlite3_column_type(stmt, c) == SQLITE_INTEGER) bytes += sqlite3_column_int64(stmt, c) != 0;
      else if (sqlite3_column_text(stmt, c)) bytes += sqlite3_column_bytes(stmt, c);
    }
  }
  if (rc != SQLITE_DONE) die(s->sql);
  if (keep) sqlite3_reset(stmt);
  else sqlite3_finalize(stmt);
}

static void run(const char *sql) {
  if (sqlite3_exec(db, sql, 0, 0, 0)) die(sql);
}

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void all(int keep, int times) {
  for (int n = 0; n < times; n++) {
    rows = bytes = 0;
    long long from = now();
    if (snapshot) run("BEGIN");
    for (int i = 0; i < count; i++) ask(statements[i], keep);
    if (snapshot) run("ROLLBACK");
    printf("%lld ", now() - from);
  }
  printf("\nrows %lld\n", rows);
}

static void forget(void) {
  for (int i = 0; i < count; i++) {
    sqlite3_finalize(statements[i]->kept);
    for (int b = 0; b < statements[i]->bindings; b++) free(statements[i]->bound[b].text);
    free(statements[i]->sql);
    free(statements[i]);
  }
  count = 0;
}

static void add(int length) {
  if (count == MAX_STATEMENTS) die("too many statements");
  struct statement *s = statements[count++] = calloc(1, sizeof *s);
  if (!s) die("memory");
  s->sql = text_of(length);
  s->length = length;
}

static void add_binding(const char *name, char kind, long long number) {
  if (count == 0 || statements[count - 1]->bindings == MAX_BINDINGS) die("binding");
  struct statement *s = statements[count - 1];
  struct binding *b = &s->bound[s->bindings++];
  snprintf(b->name, sizeof b->name, "%s", name);
  b->kind = kind;
  b->number = number;
  if (kind == 't') b->text = text_of(b->length = (int)number);
}

int main(int argc, char **argv) {
  if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, 0)) die("open");
  run("PRAGMA busy_timeout = 10000");
  run("PRAGMA query_only = ON");
  printf("version %s\n", sqlite3_libversion());
  fflush(stdout);
  char line[256], name[64], kind;
  long long number;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "forget %lld", &number) == 1) { forget(); snapshot = (int)number; }
    else if (sscanf(line, "sql %lld", &number) == 1) add((int)number);
    else if (sscanf(line, "bind %63s %c %lld", name, &kind, &number) == 3) add_binding(name, kind, number);
    else if (sscanf(line, "kept %lld", &number) == 1) all(1, (int)number);
    else if (sscanf(line, "anew %lld", &number) == 1) all(0, (int)number);
    else die("unknown command");
    fflush(stdout);
  }
  return 0;
}
