/* SPDX-License-Identifier: MIT */
/* Arithmetic of linear forms; see pass_prove.h. */
#include "pass_pattern.h"

#include <string.h>

static bool stride_is_zero(const struct pass_stride *stride)
{
	return !stride->constant && !stride->factor;
}

bool pass_pattern_uniform(const struct pass_pattern *pattern)
{
	return !pattern->digits && stride_is_zero(&pattern->stride[0]) &&
	       stride_is_zero(&pattern->stride[1]) && stride_is_zero(&pattern->stride[2]);
}

static bool same_digit(const struct pass_digit *a, const struct pass_digit *b)
{
	return a->mask == b->mask && a->shift == b->shift && a->axis == b->axis &&
	       a->with == b->with;
}

static bool same_digits(const struct pass_pattern *a, const struct pass_pattern *b)
{
	if (a->digits != b->digits)
		return false;
	for (unsigned i = 0; i < a->digits; i++) {
		unsigned k = 0;

		while (k < b->digits && (b->digit[k].times != a->digit[i].times ||
					 !same_digit(&b->digit[k], &a->digit[i])))
			k++;
		if (k == b->digits)
			return false;
	}
	return true;
}

static bool same_factor(const struct pass_stride *a, const struct pass_stride *b)
{
	return a->bits == b->bits && a->offset == b->offset;
}

bool pass_pattern_same_strides(const struct pass_pattern *a, const struct pass_pattern *b)
{
	for (int i = 0; i < 3; i++) {
		const struct pass_stride *s = &a->stride[i], *t = &b->stride[i];

		if (s->constant != t->constant || s->factor != t->factor)
			return false;
		if (s->factor && !same_factor(s, t))
			return false;
	}
	return same_digits(a, b);
}

void pass_pattern_set_leaf(struct pass_pattern *form, LLVMValueRef value)
{
	form->leaf[0] = (struct pass_leaf){.value = value, .times = 1};
	form->leaves = 1;
	form->leaves_known = true;
	form->constant = 0;
}

void pass_pattern_set_uniform(struct pass_pattern *form, LLVMValueRef value)
{
	form->wrap_count = 0;
	form->rising = false;
	pass_pattern_set_leaf(form, value);
}

bool pass_pattern_add_digit(struct pass_pattern *form, const struct pass_digit *digit)
{
	unsigned i = 0;

	if (!digit->times || !digit->mask)
		return true;
	while (i < form->digits && !same_digit(&form->digit[i], digit))
		i++;
	if (i == PASS_DIGITS)
		return false;
	if (i == form->digits) {
		form->digit[form->digits++] = *digit;
		return true;
	}
	form->digit[i].times = pass_wrap_add(form->digit[i].times, digit->times);
	if (!form->digit[i].times)
		form->digit[i] = form->digit[--form->digits];
	return true;
}

static void add_leaf(struct pass_pattern *form, const struct pass_leaf *leaf)
{
	for (unsigned i = 0; i < form->leaves; i++)
		if (form->leaf[i].value == leaf->value) {
			form->leaf[i].times = pass_wrap_add(form->leaf[i].times, leaf->times);
			if (!form->leaf[i].times)
				form->leaf[i] = form->leaf[--form->leaves];
			return;
		}
	if (form->leaves == PASS_LEAVES)
		form->leaves_known = false;
	else
		form->leaf[form->leaves++] = *leaf;
}

static bool add_stride(struct pass_stride *to, const struct pass_stride *from)
{
	const struct pass_stride sum = {
		.constant = pass_wrap_add(to->constant, from->constant),
		.factor = pass_wrap_add(to->factor, from->factor),
	};

	if (from->factor && to->factor && !same_factor(to, from))
		return false;
	if (from->factor)
		*to = *from;
	to->constant = sum.constant;
	to->factor = sum.factor;
	return true;
}

bool pass_pattern_add_tests(struct pass_pattern *to, const struct pass_pattern *from)
{
	to->rising |= from->rising;
	for (unsigned i = 0; i < from->wrap_count; i++) {
		unsigned k = 0;

		while (k < to->wrap_count && to->wraps[k] != from->wraps[i])
			k++;
		if (k < to->wrap_count)
			continue;
		if (to->wrap_count == PASS_WRAPS)
			return false;
		to->wraps[to->wrap_count++] = from->wraps[i];
	}
	return true;
}

void pass_pattern_scale(struct pass_pattern *form, int64_t by)
{
	for (int i = 0; i < 3; i++) {
		form->stride[i].constant = pass_wrap_mul(form->stride[i].constant, by);
		form->stride[i].factor = pass_wrap_mul(form->stride[i].factor, by);
	}
	for (unsigned i = 0; i < form->digits; i++)
		form->digit[i].times = pass_wrap_mul(form->digit[i].times, by);
	for (unsigned i = 0; i < form->leaves; i++)
		form->leaf[i].times = pass_wrap_mul(form->leaf[i].times, by);
	form->constant = pass_wrap_mul(form->constant, by);
	if (!by)
		form->leaves = form->digits = 0;
}

bool pass_pattern_add(struct pass_pattern *to, const struct pass_pattern *from)
{
	for (int i = 0; i < 3; i++)
		if (!add_stride(&to->stride[i], &from->stride[i]))
			return false;
	for (unsigned i = 0; i < from->digits; i++)
		if (!pass_pattern_add_digit(to, &from->digit[i]))
			return false;
	to->leaves_known &= from->leaves_known;
	for (unsigned i = 0; i < from->leaves; i++)
		add_leaf(to, &from->leaf[i]);
	to->constant = pass_wrap_add(to->constant, from->constant);
	return pass_pattern_add_tests(to, from);
}

bool pass_pattern_same_leaves(const struct pass_pattern *a, const struct pass_pattern *b)
{
	if (!a->leaves_known || !b->leaves_known || a->leaves != b->leaves ||
	    !pass_pattern_same_strides(a, b))
		return false;
	for (unsigned i = 0; i < a->leaves; i++) {
		unsigned k = 0;

		while (k < b->leaves && (b->leaf[k].value != a->leaf[i].value ||
					 b->leaf[k].times != a->leaf[i].times))
			k++;
		if (k == b->leaves)
			return false;
	}
	return true;
}

void pass_pattern_cut(struct pass_pattern *form)
{
	for (int i = 0; i < 3; i++) {
		form->stride[i].constant = (int32_t)form->stride[i].constant;
		form->stride[i].factor = (int32_t)form->stride[i].factor;
	}
	for (unsigned i = 0; i < form->digits; i++)
		form->digit[i].times = (int32_t)form->digit[i].times;
	form->constant = (int32_t)form->constant;
}
