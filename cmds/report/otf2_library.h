/* SPDX-License-Identifier: MIT */
/* The functions of libotf2 that the export uses, loaded when it runs. */
#ifndef PROBE_CMDS_REPORT_OTF2_LIBRARY_H
#define PROBE_CMDS_REPORT_OTF2_LIBRARY_H

#include <otf2/otf2.h>

struct probe_err;

#define OTF2_FUNCTIONS(X)                                                                          \
	X(Archive_Open)                                                                            \
	X(Archive_Close)                                                                           \
	X(Archive_SetFlushCallbacks)                                                               \
	X(Archive_SetSerialCollectiveCallbacks)                                                    \
	X(Archive_SetCreator)                                                                      \
	X(Archive_OpenEvtFiles)                                                                    \
	X(Archive_CloseEvtFiles)                                                                   \
	X(Archive_OpenDefFiles)                                                                    \
	X(Archive_CloseDefFiles)                                                                   \
	X(Archive_GetEvtWriter)                                                                    \
	X(Archive_CloseEvtWriter)                                                                  \
	X(Archive_GetDefWriter)                                                                    \
	X(Archive_CloseDefWriter)                                                                  \
	X(Archive_GetGlobalDefWriter)                                                              \
	X(Archive_CloseGlobalDefWriter)                                                            \
	X(AttributeList_New)                                                                       \
	X(AttributeList_Delete)                                                                    \
	X(AttributeList_AddUint64)                                                                 \
	X(AttributeList_AddStringRef)                                                              \
	X(AttributeList_RemoveAllAttributes)                                                       \
	X(Error_RegisterCallback)                                                                  \
	X(Error_GetDescription)                                                                    \
	X(EvtWriter_Enter)                                                                         \
	X(EvtWriter_Leave)                                                                         \
	X(EvtWriter_GetNumberOfEvents)                                                             \
	X(GlobalDefWriter_WriteAttribute)                                                          \
	X(GlobalDefWriter_WriteClockProperties)                                                    \
	X(GlobalDefWriter_WriteLocation)                                                           \
	X(GlobalDefWriter_WriteLocationGroup)                                                      \
	X(GlobalDefWriter_WriteRegion)                                                             \
	X(GlobalDefWriter_WriteString)                                                             \
	X(GlobalDefWriter_WriteSystemTreeNode)

/* otf2.Archive_Open is OTF2_Archive_Open, and so on. */
struct otf2_functions {
#define OTF2_FIELD(name) __typeof__(OTF2_##name) *name;
	OTF2_FUNCTIONS(OTF2_FIELD)
#undef OTF2_FIELD
};
extern struct otf2_functions otf2;

struct probe_err *otf2_load(void);

#endif
