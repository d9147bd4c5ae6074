/* SPDX-License-Identifier: MIT */
/* The SQL files of store/schema as C strings; see embed.cmake. */
#ifndef PROBE_STORE_STORE_SQL_H
#define PROBE_STORE_STORE_SQL_H

extern const char probe_sql_rocpd_tables[];
extern const char probe_sql_rocpd_views[];
extern const char probe_sql_rpd_views[];
extern const char probe_sql_probe_tables[];
/* words_view.c */
extern const char probe_sql_words_view[];

#endif
