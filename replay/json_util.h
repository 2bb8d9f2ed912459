/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json_util: json-c in fewer words. Numbers are unsigned; what is not there, or is
 * something else, reads as 0 or "".
 */
#ifndef JSON_UTIL_H
#define JSON_UTIL_H

#include <json-c/json.h>
#include <stdint.h>

static inline void fl_put_num(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static inline void fl_put_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, json_object_new_string(v));
}

static inline uint64_t fl_get_num(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? json_object_get_uint64(v) : 0;
}

static inline const char *fl_get_text(struct json_object *o, const char *key)
{
	struct json_object *v;
	const char *s = json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : NULL;

	return s ? s : "";
}

/* One line, as JSON lines have it; valid as long as @o. */
static inline const char *fl_json_line(struct json_object *o)
{
	return json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
						 JSON_C_TO_STRING_NOSLASHESCAPE);
}

#endif
