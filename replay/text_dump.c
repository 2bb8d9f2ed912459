// SPDX-License-Identifier: GPL-2.0
/*
 * text_dump: a log as text.
 *
 * Takes   an open log.
 * Gives   its text on a stream: all that fl_text_asm() would not put there itself.
 * Relies  on log_reader for what is valid.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "log_names.h"
#include "log_rules.h"
#include "text_form.h"
#include "text_lex.h"
#include "text_payload.h"
#include "uuid.h"

struct dump {
	FILE *out;
	void (*progress)(void *arg, uint64_t bytes);
	void *arg;
};

static void put_super(FILE *out, const struct fl_log *log)
{
	const struct fl_super *s = &log->sup;
	char uuid[FL_UUID_LEN + 1];

	fl_put_str(out, "super uuid=");
	fl_put_str(out, fl_uuid_str(uuid, s->uuid));
	fl_put_str(out, " epoch=");
	fl_put_str(out, fl_uuid_str(uuid, s->epoch));
	fl_put_u64(out, " dev=", s->dev);
	fl_put_u64(out, " block=", s->block_size);
	fl_put_u64(out, " data_sectors=", s->data_sectors);
	fl_put_u64(out, " data_block=", s->data_block_size);
	/* a log of another format says nothing about the room that this one needs */
	fl_put_u64(out, " log_sectors=", log->v1 ? 0 : s->log_sectors);
	fl_put_u64(out, " created_real=", s->created_real_ns);
	fl_put_u64(out, " created_mono=", s->created_mono_ns);
	fl_put_u64(out, " start_tick=", s->start_tick);
	fl_put_quoted(out, " name=", s->data_name, strlen(s->data_name));
	fl_put_quoted(out, " args=", s->args, strlen(s->args));
	fl_put_str(out, "\n");
}

static void put_flags(FILE *out, uint16_t flags)
{
	const char *before = " flags=";

	for (unsigned int bit = 0; flags >> bit; bit++) {
		if (!(flags >> bit & 1))
			continue;
		fl_put_str(out, before);
		fl_put_str(out, fl_flag_name(bit));
		before = ",";
	}
}

static void put_ticks(FILE *out, const struct fl_rec *r)
{
	bool io = fl_kind_is_io(r->kind);

	fl_put_u64(out, " i=", r->issue);
	if (io)
		fl_put_u64(out, " d=", r->done);
	if (r->issue_ns != r->issue * 1000)
		fl_put_u64(out, " it=", r->issue_ns);
	if (r->done_ns != (io ? r->done * 1000 : r->issue_ns))
		fl_put_u64(out, " dt=", r->done_ns);
}

static void put_promise(FILE *out, const struct fl_promise *p)
{
	fl_put_str(out, " call=");
	fl_put_str(out, fl_call_name(p->call));
	if (p->kind == FLUXLOG_PROMISE_SECTORS) {
		fl_put_u64(out, " dev=", p->file);
		fl_put_u64(out, " sector=", p->start);
		fl_put_u64(out, " n=", p->len);
	} else {
		fl_put_u64(out, " run=", p->run);
		fl_put_u64(out, " file=", p->file);
		fl_put_u64(out, " start=", p->start);
		fl_put_u64(out, " len=", p->len);
		fl_put_u64(out, " gen=", p->gen);
	}
	fl_put_u64(out, " at=", p->at_ns);
	if (p->path[0])
		fl_put_quoted(out, " path=", p->path, strlen(p->path));
}

static int put_unit(void *arg, const struct fl_unit *u)
{
	struct dump *d = arg;

	fl_put_u64(d->out, "unit ns=", u->written_ns);
	fl_put_str(d->out, "\n");
	return ferror_unlocked(d->out) ? -EIO : 0;
}

static int put_record(void *arg, const struct fl_log *log, uint64_t idx, const uint8_t *payload)
{
	const struct fl_rec *r = &log->rec[idx];
	FILE *out = ((struct dump *)arg)->out;
	struct fl_promise p;

	fl_put_str(out, fl_kind_name(r->kind));
	if (fl_kind_has_range(r->kind)) {
		fl_put_u64(out, " s=", r->sector);
		fl_put_u64(out, " n=", r->nr);
	}
	put_ticks(out, r);
	put_flags(out, r->flags);
	if (r->status)
		fl_put_errno(out, " err=", r->status);
	if (r->kind == FLUXLOG_MARK)
		fl_put_quoted(out, " text=", log->inl + r->inl, r->inl_len);
	if (r->kind == FLUXLOG_PROMISE) {
		fl_promise_get(log, r, &p);
		put_promise(out, &p);
	}
	if (payload) {
		fl_put_str(out, " data=");
		fl_payload_print(out, payload, r->nr);
	}
	fl_put_str(out, "\n");
	return 0;
}

static void progress(void *arg, uint64_t bytes)
{
	struct dump *d = arg;

	if (d->progress)
		d->progress(d->arg, bytes);
}

/* A file longer than its log; of a block device that says nothing. */
static void put_size(FILE *out, const struct fl_log *log)
{
	struct stat st;

	if (log->v1 || fstat(log->fd, &st) || !S_ISREG(st.st_mode) || log->bytes <= log->end_off)
		return;
	fl_put_u64(out, "size bytes=", log->bytes);
	fl_put_str(out, "\n");
}

int fl_text_dump(struct fl_log *log, FILE *out, void (*step)(void *arg, uint64_t bytes),
		 void *arg, struct fl_err *err)
{
	struct dump d = { .out = out, .progress = step, .arg = arg };
	const struct fl_visitor v = {
		.unit = put_unit,
		.record = put_record,
		.progress = progress,
		.arg = &d,
	};
	int rc;

	fl_put_str(out, FL_TEXT_FIRST_LINE "\n");
	put_super(out, log);
	err->msg[0] = '\0';
	rc = fl_log_load(log, &v, err);
	if (!rc)
		put_size(out, log);
	if (fflush(out) || ferror(out))
		return fl_fail(err, EIO, "writing the text of %s: %s", log->path,
			       strerror(errno));
	return rc;
}
