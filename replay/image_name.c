// SPDX-License-Identifier: GPL-2.0
/* See image_name.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "image_name.h"
#include "text_lex.h"

const char *fl_image_name(char buf[FL_IMAGE_NAME], const struct fl_group *g,
			  unsigned int dev, const struct fl_variant *var)
{
	size_t n = strlen(fl_variant_name(buf, var));

	if (g->nr > 1)
		snprintf(buf + n, FL_IMAGE_NAME - n, ".dev%u", g->log[dev]->sup.dev);
	return buf;
}

static int find_dev(const struct fl_group *g, uint64_t nr, unsigned int *dev,
		    struct fl_err *err)
{
	const struct fl_dev *d = fl_group_dev(g, nr);

	if (!d)
		return fl_fail(err, EINVAL, "none of the logs is of device %llu",
			       (unsigned long long)nr);
	*dev = (unsigned int)(d - g->dev);
	return 0;
}

/* Without ".devN": the only device, or the one that the caller says. */
static int unnamed_dev(const struct fl_group *g, int wanted, unsigned int *dev,
		       struct fl_err *err)
{
	*dev = 0;
	if (wanted >= 0)
		return find_dev(g, (uint64_t)wanted, dev, err);
	if (g->nr > 1)
		return fl_fail(err, EINVAL,
			       "of which of the %u devices? Add .devN to the variant", g->nr);
	return 0;
}

static int parse(const struct fl_group *g, const char *name, int wanted,
		 struct fl_variant *var, unsigned int *dev, struct fl_err *err)
{
	const char *suffix = strstr(name, ".dev");
	char text[FL_VARIANT_NAME];
	uint64_t nr;
	size_t n = suffix ? (size_t)(suffix - name) : strlen(name);
	int ret;

	if (n >= sizeof(text))
		return fl_fail(err, EINVAL, "a variant's name has at most %zu bytes",
			       sizeof(text) - 1);
	memcpy(text, name, n);
	text[n] = '\0';
	if (!suffix)
		ret = unnamed_dev(g, wanted, dev, err);
	else if (g->nr == 1 || !fl_text_u64(suffix + 4, NULL, &nr))
		ret = fl_fail(err, EINVAL, "no device \"%.40s\" in a group of %u", suffix + 1,
			      g->nr);
	else if (wanted >= 0 && nr != (uint64_t)wanted)
		ret = fl_fail(err, EINVAL, "\"%s\" is of another device than %d", name, wanted);
	else
		ret = find_dev(g, nr, dev, err);
	return ret ? ret : fl_variant_parse(var, text, err);
}

int fl_image_parse(const struct fl_group *g, const char *name, struct fl_variant *var,
		   unsigned int *dev, struct fl_err *err)
{
	return parse(g, name, -1, var, dev, err);
}

int fl_image_find(struct fl_image *img, const struct fl_cuts *cuts, const char *id, int dev,
		  struct fl_err *err)
{
	size_t n = strcspn(id, "/");
	struct fl_variant var;
	unsigned int place;
	uint64_t tick;
	int ret = fl_cut_find(cuts, id, n, &tick, err);

	if (!ret)
		ret = parse(cuts->g, id[n] ? id + n + 1 : "all", dev, &var, &place, err);
	return ret ? ret : fl_image_open(img, cuts->g, place, tick, &var, err);
}

int fl_base_open(const char *path, int *fd, struct fl_err *err)
{
	*fd = -1;
	if (!path || !strcmp(path, "-"))
		return 0;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? fl_fail(err, errno, "%s: %s", path, strerror(errno)) : 0;
}
