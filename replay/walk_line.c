// SPDX-License-Identifier: GPL-2.0
/* See walk_line.h. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk_line.h"

static const char *const verdicts[] = {
	[FL_POINT_NONE] = "none", [FL_POINT_GOOD] = "good", [FL_POINT_BAD] = "bad",
	[FL_POINT_SAME] = "same", [FL_POINT_ERROR] = "error",
};

#define NR_VERDICTS (sizeof(verdicts) / sizeof(verdicts[0]))

const char *fl_point_verdict_name(enum fl_point_verdict v)
{
	return verdicts[v];
}

static void add_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, json_object_new_string(v));
}

static struct json_object *finding_json(const struct fl_fs_finding *f)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "id", fl_fs_problem[f->code].id);
	add_text(o, "name", fl_fs_problem[f->code].name);
	if (f->path[0]) {
		add_text(o, "path", f->path);
		add_u64(o, "start", f->start);
		add_u64(o, "len", f->len);
		add_u64(o, "gen", f->gen);
	}
	add_text(o, "detail", f->detail);
	return o;
}

char *fl_line_make(const struct fl_result *r)
{
	struct json_object *o = json_object_new_object();
	struct json_object *findings;
	char *line;
	uint32_t i;

	add_text(o, "point", r->point);
	add_u64(o, "tick", r->tick);
	add_text(o, "verdict", verdicts[r->verdict]);
	add_u64(o, "promises", r->promises);
	add_u64(o, "bytes", r->bytes);
	add_u64(o, "ms", r->ms);
	if (r->verdict == FL_POINT_SAME || r->verdict == FL_POINT_ERROR)
		add_text(o, r->verdict == FL_POINT_SAME ? "as" : "why", r->text);
	if (r->findings.nr) {
		findings = json_object_new_array();
		for (i = 0; i < r->findings.nr; i++)
			json_object_array_add(findings, finding_json(&r->findings.f[i]));
		json_object_object_add(o, "findings", findings);
	}
	line = fl_strdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return line;
}

static const char *get_text(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : "";
}

static uint64_t get_u64(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_uint64(v) : 0;
}

static int get_finding(struct json_object *o, struct fl_fs_findings *out)
{
	const char *id = get_text(o, "id");
	int c;

	for (c = 0; c < FL_FS_NR_CODES; c++) {
		if (strcmp(fl_fs_problem[c].id, id))
			continue;
		fl_fs_add(out, (enum fl_fs_code)c, get_text(o, "path"), get_u64(o, "start"),
			  get_u64(o, "len"), get_u64(o, "gen"), "%s", get_text(o, "detail"));
		return 0;
	}
	return -EINVAL;
}

static int get_result(struct json_object *o, struct fl_result *out)
{
	struct json_object *findings;
	size_t i, n;
	int ret = 0;

	*out = (struct fl_result){ .tick = get_u64(o, "tick"), .ms = get_u64(o, "ms"),
				   .promises = get_u64(o, "promises"),
				   .bytes = get_u64(o, "bytes") };
	out->point = fl_strdup(get_text(o, "point"));
	for (i = 1; i < NR_VERDICTS; i++)
		if (!strcmp(get_text(o, "verdict"), verdicts[i]))
			out->verdict = (enum fl_point_verdict)i;
	snprintf(out->text, sizeof(out->text), "%s",
		 get_text(o, out->verdict == FL_POINT_SAME ? "as" : "why"));
	if (json_object_object_get_ex(o, "findings", &findings)) {
		n = json_object_array_length(findings);
		for (i = 0; i < n && !ret; i++)
			ret = get_finding(json_object_array_get_idx(findings, i),
					  &out->findings);
	}
	if (!out->point[0] || !out->verdict)
		ret = -EINVAL;
	/* a bad point without findings, or the reverse, was not written by a walk */
	if ((out->verdict == FL_POINT_BAD) != (out->findings.nr > 0))
		ret = -EINVAL;
	if (ret)
		fl_result_free(out);
	return ret;
}

int fl_line_parse(const char *line, struct fl_result *out)
{
	struct json_object *o = json_tokener_parse(line);
	int ret = -EINVAL;

	if (o && json_object_is_type(o, json_type_object))
		ret = get_result(o, out);
	json_object_put(o);
	return ret;
}

void fl_result_free(struct fl_result *r)
{
	free(r->point);
	fl_fs_free(&r->findings);
	*r = (struct fl_result){ 0 };
}
