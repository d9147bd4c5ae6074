/* SPDX-License-Identifier: MIT */
/* libprobe-sim-jit.so: compiles IR to machine code with LLVM's ORC. */
#include "simgpu/jit/emit_block.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "common/cleanup.h"

__attribute__((visibility("default"))) sim_jit_translate probe_sim_jit_translate;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LLVMOrcLLJITRef orc;
static LLVMTargetMachineRef machine;
static bool failed;
static unsigned int serial;

/*
 * At the end of the process, libLLVM's destructors run next: waits for the current translation and
 * starts no other. (This library needs libLLVM, so its destructors run first.)
 */
__attribute__((destructor)) static void at_end(void)
{
	pthread_mutex_lock(&lock);
	failed = true;
	orc = NULL;
	pthread_mutex_unlock(&lock);
}

/* Uses only the host's features that the interpreter's level uses. */
static LLVMTargetMachineRef machine_create(const char *level)
{
	const char *cpu = !strcmp(level, "avx512") ? "x86-64-v4" : "x86-64-v3";
	char *triple = LLVMGetDefaultTargetTriple();
	LLVMTargetMachineRef tm = NULL;
	LLVMTargetRef target;
	char *message = NULL;

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	if (LLVMGetTargetFromTriple(triple, &target, &message))
		LLVMDisposeMessage(message);
	else
		tm = LLVMCreateTargetMachine(target, triple, cpu, "", LLVMCodeGenLevelDefault,
					     LLVMRelocDefault, LLVMCodeModelJITDefault);
	LLVMDisposeMessage(triple);
	return tm;
}

static bool start(const char *level)
{
	LLVMOrcLLJITBuilderRef builder;
	LLVMTargetMachineRef tm;
	LLVMErrorRef error;

	if (orc || failed)
		return orc != NULL;
	failed = true;
	machine = machine_create(level);
	tm = machine ? machine_create(level) : NULL;
	if (!tm)
		return false;
	builder = LLVMOrcCreateLLJITBuilder();
	LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
		builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(tm));
	error = LLVMOrcCreateLLJIT(&orc, builder);
	if (error) {
		LLVMConsumeError(error);
		orc = NULL;
		return false;
	}
	failed = false;
	return true;
}

static void types_init(struct jit *j)
{
	LLVMTypeRef args[2];

	j->i1 = LLVMInt1TypeInContext(j->context);
	j->i8 = LLVMInt8TypeInContext(j->context);
	j->i32 = LLVMInt32TypeInContext(j->context);
	j->i64 = LLVMInt64TypeInContext(j->context);
	j->ptr = LLVMPointerTypeInContext(j->context, 0);
	j->slice = LLVMIntTypeInContext(j->context, j->width);
	j->v1 = LLVMVectorType(j->i1, j->width);
	j->v32 = LLVMVectorType(j->i32, j->width);
	j->v64 = LLVMVectorType(j->i64, j->width);
	j->vf32 = LLVMVectorType(LLVMFloatTypeInContext(j->context), j->width);
	j->vf64 = LLVMVectorType(LLVMDoubleTypeInContext(j->context), j->width);
	args[0] = args[1] = j->ptr;
	j->handler = LLVMFunctionType(j->ptr, args, 2, false);
}

/* Runs LLVM's verifier on every block in builds with assertions. */
static bool sound(LLVMModuleRef module)
{
#ifndef NDEBUG
	char *message = NULL;
	bool bad = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);

	if (bad) {
		LLVMDumpModule(module);
		fprintf(stderr, "probe-sim-jit: %s\n", message);
		abort();
	}
	LLVMDisposeMessage(message);
#else
	(void)module;
#endif
	return true;
}

static int compile(LLVMModuleRef module, LLVMOrcThreadSafeContextRef context, const char *name,
		   struct sim_block *ret)
{
	LLVMOrcThreadSafeModuleRef safe = LLVMOrcCreateNewThreadSafeModule(module, context);
	LLVMOrcJITDylibRef dylib = LLVMOrcLLJITGetMainJITDylib(orc);
	LLVMErrorRef error = LLVMOrcLLJITAddLLVMIRModule(orc, dylib, safe);
	LLVMOrcExecutorAddress address;

	if (error) {
		LLVMConsumeError(error);
		LLVMOrcDisposeThreadSafeModule(safe);
		return -EINVAL;
	}
	error = LLVMOrcLLJITLookup(orc, &address, name);
	if (error) {
		LLVMConsumeError(error);
		return -EINVAL;
	}
	ret->run = (sim_block_fn *)(uintptr_t)address;
	return 0;
}

static int build(struct jit *j, const char *name, struct sim_block *ret)
{
	LLVMBasicBlockRef entry;
	int err;

	types_init(j);
	j->function = LLVMAddFunction(j->module, name, j->handler);
	j->wave = LLVMGetParam(j->function, 0);
	j->tally = LLVMGetParam(j->function, 1);
	entry = LLVMAppendBasicBlockInContext(j->context, j->function, "");
	j->s = LLVMCreateBuilderInContext(j->context);
	j->v = LLVMCreateBuilderInContext(j->context);
	LLVMPositionBuilderAtEnd(j->s, entry);
	err = jit_block(j, ret);
	LLVMDisposeBuilder(j->s);
	LLVMDisposeBuilder(j->v);
	return err;
}

/* LLVM 21 no longer says which context is in a thread-safe one, but makes one of a context. */
static LLVMOrcThreadSafeContextRef new_context(LLVMContextRef *ret)
{
#if LLVM_VERSION_MAJOR >= 21
	*ret = LLVMContextCreate();
	return LLVMOrcCreateNewThreadSafeContextFromLLVMContext(*ret);
#else
	LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();

	*ret = LLVMOrcThreadSafeContextGetContext(context);
	return context;
#endif
}

PROBE_DEFINE_RELEASE(context_release, LLVMOrcThreadSafeContextRef, LLVMOrcDisposeThreadSafeContext)

static int translate(const struct sim_jit_job *job, struct sim_block *ret)
{
	LLVMContextRef own;
	PROBE_AUTO(context_release) LLVMOrcThreadSafeContextRef context = new_context(&own);
	PROBE_AUTO_FREE struct jit *j = calloc(1, sizeof(*j));
	char name[32];
	int err;

	if (!j)
		return -ENOMEM;
	snprintf(name, sizeof(name), "block_%u", serial++);
	j->job = job;
	j->width = !strcmp(job->level, "avx512") ? 16 : 8;
	j->context = own;
	j->module = LLVMModuleCreateWithNameInContext(name, j->context);
	err = build(j, name, ret);
	if (err || !sound(j->module)) {
		LLVMDisposeModule(j->module);
		return err;
	}
	return compile(j->module, context, name, ret); /* which takes the module */
}

int probe_sim_jit_translate(const struct sim_jit_job *job, struct sim_block *ret)
{
	int err = -ENOTSUP;

	if (job->abi != SIM_JIT_ABI || job->inst_size != sizeof(struct sim_inst) ||
	    job->wave_size != sizeof(struct sim_wave))
		return -EPROTO;
	pthread_mutex_lock(&lock);
	if (start(job->level))
		err = translate(job, ret);
	pthread_mutex_unlock(&lock);
	return err;
}
