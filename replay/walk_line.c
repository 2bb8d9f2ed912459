// SPDX-License-Identifier: GPL-2.0
/* See walk_line.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_util.h"
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

static struct json_object *finding_json(const struct fl_fs_finding *f)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "id", fl_fs_problem[f->code].id);
	fl_put_text(o, "name", fl_fs_problem[f->code].name);
	if (f->path[0]) {
		fl_put_text(o, "path", f->path);
		fl_put_num(o, "start", f->start);
		fl_put_num(o, "len", f->len);
		fl_put_num(o, "gen", f->gen);
	}
	fl_put_text(o, "detail", f->detail);
	return o;
}

char *fl_line_make(const struct fl_result *r)
{
	struct json_object *o = json_object_new_object();
	struct json_object *findings;
	char *line;
	uint32_t i;

	fl_put_text(o, "point", r->point);
	fl_put_num(o, "tick", r->tick);
	fl_put_text(o, "verdict", verdicts[r->verdict]);
	fl_put_num(o, "promises", r->promises);
	fl_put_num(o, "bytes", r->bytes);
	fl_put_num(o, "ms", r->ms);
	if (r->verdict == FL_POINT_SAME || r->verdict == FL_POINT_ERROR)
		fl_put_text(o, r->verdict == FL_POINT_SAME ? "as" : "why", r->text);
	if (r->findings.nr) {
		findings = json_object_new_array();
		for (i = 0; i < r->findings.nr; i++)
			json_object_array_add(findings, finding_json(&r->findings.f[i]));
		json_object_object_add(o, "findings", findings);
	}
	line = fl_strdup(fl_json_line(o));
	json_object_put(o);
	return line;
}

static int get_finding(struct json_object *o, struct fl_fs_findings *out)
{
	const char *id = fl_get_text(o, "id");
	int c;

	for (c = 0; c < FL_FS_NR_CODES; c++) {
		if (strcmp(fl_fs_problem[c].id, id))
			continue;
		fl_fs_add(out, (enum fl_fs_code)c, fl_get_text(o, "path"), fl_get_num(o, "start"),
			  fl_get_num(o, "len"), fl_get_num(o, "gen"), "%s", fl_get_text(o, "detail"));
		return 0;
	}
	return -EINVAL;
}

static int get_result(struct json_object *o, struct fl_result *out)
{
	struct json_object *findings;
	size_t i, n;
	int ret = 0;

	*out = (struct fl_result){ .tick = fl_get_num(o, "tick"), .ms = fl_get_num(o, "ms"),
				   .promises = fl_get_num(o, "promises"),
				   .bytes = fl_get_num(o, "bytes") };
	out->point = fl_strdup(fl_get_text(o, "point"));
	for (i = 1; i < NR_VERDICTS; i++)
		if (!strcmp(fl_get_text(o, "verdict"), verdicts[i]))
			out->verdict = (enum fl_point_verdict)i;
	snprintf(out->text, sizeof(out->text), "%s",
		 fl_get_text(o, out->verdict == FL_POINT_SAME ? "as" : "why"));
	if (json_object_object_get_ex(o, "findings", &findings)) {
		if (!json_object_is_type(findings, json_type_array))
			ret = -EINVAL;
		n = ret ? 0 : json_object_array_length(findings);
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
