// SPDX-License-Identifier: GPL-2.0
/* See walk.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "fs_mount.h"
#include "progress.h"
#include "walk.h"
#include "walk_dir.h"
#include "walk_kmsg.h"
#include "walk_worker.h"

#define JOBS_MAX 64
#define SEC 1000000000ull

/* The walk while it goes on. */
struct run {
	struct fl_walk *w;
	const struct fl_judge_opts *jo;
	const struct fl_walk_opts *o;
	struct fl_worker worker[JOBS_MAX];
	struct fl_walk_dir dir;
	uint32_t *queue, nr_queue, next;
	uint64_t start_ns;
	struct fl_kmsg kmsg;
	struct fl_progress meter;
	struct fl_err *err;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SEC + (uint64_t)t.tv_nsec;
}

/* ---- results ------------------------------------------------------------------- */

void fl_walk_init(struct fl_walk *w, const struct fl_plan *plan)
{
	char name[FL_POINT_NAME];
	uint32_t i;

	*w = (struct fl_walk){ .plan = plan, .why_ended = "" };
	w->result = fl_alloc((size_t)plan->nr + 1, sizeof(*w->result));
	for (i = 0; i < plan->nr; i++) {
		w->result[i].tick = plan->point[i].cut;
		w->result[i].point = fl_strdup(fl_point_name(name, &plan->point[i]));
	}
}

void fl_walk_free(struct fl_walk *w)
{
	uint32_t i;

	for (i = 0; i < w->plan->nr; i++)
		fl_result_free(&w->result[i]);
	free(w->result);
}

static void take_result(struct fl_walk *w, uint32_t point, const struct fl_result *r)
{
	fl_result_free(&w->result[point]);
	w->result[point] = *r;
	w->good += r->verdict == FL_POINT_GOOD;
	w->bad += r->verdict == FL_POINT_BAD;
	w->same += r->verdict == FL_POINT_SAME;
	w->errors += r->verdict == FL_POINT_ERROR;
	w->visited += r->verdict != FL_POINT_SAME;
}

/* Points are few enough for a search by cut, then by name. */
bool fl_walk_resume(struct fl_walk *w, struct fl_result *r)
{
	uint32_t lo = 0, hi = w->plan->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (w->plan->point[mid].cut < r->tick)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < w->plan->nr && w->plan->point[lo].cut == r->tick; lo++) {
		if (w->result[lo].verdict || strcmp(w->result[lo].point, r->point))
			continue;
		take_result(w, lo, r);
		w->resumed++;
		*r = (struct fl_result){ 0 };
		return true;
	}
	return false;
}

static void append_journal(struct run *run, const struct fl_result *r)
{
	char *line, *text;
	size_t n;

	if (run->o->journal < 0)
		return;
	line = fl_line_make(r);
	n = strlen(line);
	text = fl_realloc(line, n + 2, 1);
	text[n++] = '\n';
	/* one write: a journal has whole lines but for a last one cut off by a crash */
	if (write(run->o->journal, text, n) != (ssize_t)n && !run->err->msg[0])
		fl_fail(run->err, EIO, "writing the journal: %s", strerror(errno));
	free(text);
}

static void finish_point(struct run *run, uint32_t point, struct fl_result *r)
{
	append_journal(run, r);
	take_result(run->w, point, r);
	run->w->visited_now += r->verdict != FL_POINT_SAME;
}

/* A result that no worker could tell. */
static void finish_by_force(struct run *run, struct fl_worker *wk, enum fl_fs_code code,
			    const char *detail)
{
	const struct fl_point *p = &run->w->plan->point[wk->point];
	struct fl_result r = { .tick = p->cut, .verdict = FL_POINT_BAD,
			       .promises = fl_require_count(run->jo->rq, p->cut),
			       .ms = (now_ns() - wk->since_ns) / 1000000 };

	r.point = fl_strdup(run->w->result[wk->point].point);
	fl_fs_add(&r.findings, code, "", 0, 0, 0, "%s", detail);
	if (wk->splat[0])
		fl_fs_add(&r.findings, FL_FS_SPLAT, "", 0, 0, 0, "%s", wk->splat);
	finish_point(run, wk->point, &r);
}

/* ---- workers ------------------------------------------------------------------- */

static int start_worker(struct run *run, unsigned int i)
{
	char path[FL_WALK_PATH];

	return fl_worker_start(&run->worker[i], run->jo, run->w->plan,
			       fl_walk_dir_path(path, &run->dir, i), run->err);
}

static bool may_go_on(struct run *run)
{
	struct fl_walk *w = run->w;

	if (interrupted)
		w->why_ended = "interrupted";
	else if (run->o->time_limit_s &&
		 now_ns() - run->start_ns > run->o->time_limit_s * SEC)
		w->why_ended = "time limit";
	else if (run->o->max_findings && w->bad >= run->o->max_findings)
		w->why_ended = "enough findings";
	else if (w->errors)
		w->why_ended = "this machine cannot judge";
	return !w->why_ended[0];
}

/* Give an idle worker the next point. */
static int feed(struct run *run, unsigned int i)
{
	struct fl_worker *wk = &run->worker[i];
	int ret;

	if (run->next == run->nr_queue || wk->point != FL_NO_POINT || !may_go_on(run))
		return 0;
	if (!wk->pid) {
		ret = start_worker(run, i);
		if (ret)
			return ret;
	}
	return fl_worker_give(wk, run->queue[run->next++]);
}

static void hear(struct run *run, struct fl_worker *wk)
{
	struct fl_result r;
	char *line = NULL;
	int ret = fl_worker_read(wk, &line);

	if (ret < 0) {
		finish_by_force(run, wk, FL_FS_DIED, "it ended without an answer");
		fl_worker_stop(wk);
	} else if (ret && fl_line_parse(line, &r)) {
		finish_by_force(run, wk, FL_FS_DIED, "its answer cannot be understood");
		fl_worker_stop(wk);
	} else if (ret) {
		if (wk->splat[0]) {
			fl_fs_add(&r.findings, FL_FS_SPLAT, "", 0, 0, 0, "%s", wk->splat);
			r.verdict = FL_POINT_BAD;
		}
		finish_point(run, wk->point, &r);
		wk->point = FL_NO_POINT;
	}
	free(line);
}

static void watch_time(struct run *run, struct fl_worker *wk)
{
	char detail[80];

	if (wk->point == FL_NO_POINT ||
	    now_ns() - wk->since_ns < run->o->timeout_s * SEC)
		return;
	snprintf(detail, sizeof(detail), "nothing after %llu s",
		 (unsigned long long)run->o->timeout_s);
	finish_by_force(run, wk, FL_FS_HUNG, detail);
	fl_worker_stop(wk);
}

/* A complaint of the kernel belongs to whatever is being recovered right now. */
static void watch_kernel(struct run *run)
{
	char text[160];
	unsigned int i, busy = 0;

	while (fl_kmsg_splat(&run->kmsg, text, sizeof(text))) {
		for (i = 0; i < run->o->jobs; i++)
			busy += run->worker[i].point != FL_NO_POINT;
		for (i = 0; i < run->o->jobs; i++)
			if (run->worker[i].point != FL_NO_POINT && !run->worker[i].splat[0])
				snprintf(run->worker[i].splat, sizeof(run->worker[i].splat),
					 "%s (%u images at once)", text, busy);
	}
}

/* ---- the loop ------------------------------------------------------------------ */

static bool wait_for_answers(struct run *run)
{
	struct pollfd pfd[JOBS_MAX];
	unsigned int who[JOBS_MAX], n = 0, i;

	for (i = 0; i < run->o->jobs; i++) {
		if (run->worker[i].point == FL_NO_POINT)
			continue;
		pfd[n] = (struct pollfd){ .fd = run->worker[i].fd, .events = POLLIN };
		who[n++] = i;
	}
	if (!n)
		return false;
	poll(pfd, n, 200);
	watch_kernel(run);
	for (i = 0; i < n; i++)
		if (pfd[i].revents)
			hear(run, &run->worker[who[i]]);
	for (i = 0; i < run->o->jobs; i++)
		watch_time(run, &run->worker[i]);
	fl_progress_step(&run->meter, run->w->visited + run->w->same);
	return true;
}

static int walk_queue(struct run *run)
{
	unsigned int i;
	int ret = 0;

	do {
		for (i = 0; i < run->o->jobs && !ret; i++)
			ret = feed(run, i);
	} while (!ret && !interrupted && wait_for_answers(run));
	return ret;
}

static uint64_t random_step(uint64_t *s)
{
	uint64_t x = *s += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static void put_in_order(struct run *run)
{
	uint64_t seed = run->o->seed;
	uint32_t i, n = run->nr_queue, k, x;

	for (i = 0; run->o->order == FL_WALK_DOWN && i < n / 2; i++) {
		x = run->queue[i];
		run->queue[i] = run->queue[n - 1 - i];
		run->queue[n - 1 - i] = x;
	}
	for (i = n; run->o->order == FL_WALK_RANDOM && i > 1; i--) {
		k = (uint32_t)(random_step(&seed) % i);
		x = run->queue[i - 1];
		run->queue[i - 1] = run->queue[k];
		run->queue[k] = x;
	}
}

/* Points without a result that nothing stands for. @second: and those whose stand-in
 * was not good. */
static void fill_queue(struct run *run, bool second)
{
	uint32_t i;

	run->nr_queue = run->next = 0;
	for (i = 0; i < run->w->plan->nr; i++) {
		bool stands_alone = run->w->plan->point[i].same == FL_NO_POINT;

		if (!run->w->result[i].verdict && (stands_alone || second))
			run->queue[run->nr_queue++] = i;
	}
	put_in_order(run);
}

/* What was good with at least as many promises in force is good for its equals. */
static void settle_same(struct run *run)
{
	uint32_t i;

	for (i = 0; i < run->w->plan->nr; i++) {
		const struct fl_point *p = &run->w->plan->point[i];
		struct fl_result r = { .tick = p->cut, .verdict = FL_POINT_SAME };

		if (run->w->result[i].verdict || p->same == FL_NO_POINT ||
		    run->w->result[p->same].verdict != FL_POINT_GOOD)
			continue;
		r.promises = fl_require_count(run->jo->rq, p->cut);
		r.point = fl_strdup(run->w->result[i].point);
		snprintf(r.text, sizeof(r.text), "%s", run->w->result[p->same].point);
		finish_point(run, i, &r);
	}
}

static int walk_all(struct run *run)
{
	int ret;

	fill_queue(run, false);
	ret = walk_queue(run);
	settle_same(run);
	if (ret || run->w->why_ended[0])
		return ret;
	fill_queue(run, true);
	return walk_queue(run);
}

/* ---- begin and end -------------------------------------------------------------- */

static void end_walk(struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->o->jobs; i++)
		fl_worker_stop(&run->worker[i]);
	fl_walk_dir_remove(&run->dir);
	fl_kmsg_close(&run->kmsg);
	free(run->queue);
	for (i = 0; i < run->w->plan->nr; i++)
		run->w->not_visited += !run->w->result[i].verdict;
	run->w->seconds = (double)(now_ns() - run->start_ns) / 1e9;
}

static int begin_walk(struct run *run)
{
	struct sigaction sa = { .sa_handler = on_signal };
	int ret = fl_walk_dir_make(&run->dir, run->err);
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; i < run->o->jobs; i++)
		run->worker[i] = (struct fl_worker){ .fd = -1, .point = FL_NO_POINT };
	run->queue = fl_alloc((size_t)run->w->plan->nr + 1, sizeof(*run->queue));
	run->start_ns = now_ns();
	fl_kmsg_open(&run->kmsg);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	return 0;
}

int fl_walk_run(struct fl_walk *w, const struct fl_judge_opts *jo,
		const struct fl_walk_opts *o, struct fl_err *err)
{
	struct fl_walk_opts own = *o;
	struct run run = { .w = w, .jo = jo, .o = &own, .err = err };
	int ret;

	own.jobs = fl_fs_alone(jo->where->type) ? 1
		: own.jobs < JOBS_MAX ? own.jobs : JOBS_MAX;
	ret = begin_walk(&run);
	if (ret)
		return ret;
	fl_progress_begin(&run.meter, "walking", w->plan->nr);
	ret = walk_all(&run);
	fl_progress_end(&run.meter);
	if (interrupted && !w->why_ended[0])
		w->why_ended = "interrupted";
	end_walk(&run);
	return ret ? ret : err->msg[0] ? -EIO : 0;
}
