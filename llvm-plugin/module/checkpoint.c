/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/module/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "llvm-plugin/analysis/compile_errors.h"
#include "llvm-plugin/base/ir_helpers.h"

/* ---- Whether ------------------------------------------------------------------------------- */

/* After fork() only the calling thread exists in the child. */
static bool has_one_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned count = 0;

	if (!tasks)
		return false;
	for (struct dirent *entry; (entry = readdir(tasks));)
		count += entry->d_name[0] != '.';
	closedir(tasks);
	return count == 1;
}

/* File name of the process's program, in `path`; "" = unknown. */
static const char *program_name(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	const char *slash;

	path[length < 0 ? 0 : length] = 0;
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool checkpoint_possible(void)
{
	char path[4096];
	const char *name = program_name(path, sizeof(path));

	return *name && strcmp(name, "opt");
}

static bool is_trial(void)
{
	char path[4096];

	return !strstr(program_name(path, sizeof(path)), "clang") || !has_one_thread();
}

/* ---- The child ----------------------------------------------------------------------------- */

#define PASS_CLONES "__probe_" /* prefix of their names */
static int report_fd;
static bool in_trial, in_pass;
static char current[1024]; /* checkpoint_at() */

static void caught(const char *function, const char *message, bool fatal)
{
	struct compile_failure failure = {0};

	snprintf(failure.function, sizeof(failure.function), "%s", function ? function : "");
	snprintf(failure.message, sizeof(failure.message), "%s", message);
	/* Smaller than PIPE_BUF, so that the write is atomic; the exit status reports a failure. */
	if (write(report_fd, &failure, sizeof(failure)) != sizeof(failure) || fatal)
		_exit(1);
}
_Static_assert(sizeof(struct compile_failure) <= 4096, "PIPE_BUF");

static void crashed(const char *function, int number)
{
	char message[256];

	snprintf(message, sizeof(message),
		 in_pass ? "Probe's pass crashed (signal %d); please report this"
			 : "the compiler crashed (signal %d)",
		 number);
	caught(in_pass ? current : function, message, true);
}

void checkpoint_at(const char *kind, LLVMValueRef original)
{
	size_t size;

	current[0] = 0;
	if (original)
		snprintf(current, sizeof(current), "__probe_%s_%s", kind,
			 LLVMGetValueName2(original, &size));
}

/* The target that functions are compiled for; some errors compare it with the module's. */
static char *target_attribute(LLVMModuleRef module, const char *name)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
			f, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
		const char *value;
		unsigned size;

		if (LLVMIsDeclaration(f) || !attribute)
			continue;
		value = LLVMGetStringAttributeValue(attribute, &size);
		return pass_format("%.*s", (int)size, value);
	}
	return pass_format("%s", "");
}

/* Errors reach caught(). */
static void generate_code(LLVMModuleRef module)
{
	const char *triple = LLVMGetTarget(module);
	LLVMMemoryBufferRef code;
	LLVMTargetRef target;
	char *message;

	if (LLVMGetTargetFromTriple(triple, &target, &message))
		return;
	LLVMTargetMachineEmitToMemoryBuffer(
		LLVMCreateTargetMachine(target, triple, target_attribute(module, "target-cpu"),
					target_attribute(module, "target-features"),
					LLVMCodeGenLevelAggressive, LLVMRelocPIC,
					LLVMCodeModelDefault),
		module, LLVMObjectFile, &message, &code);
}

void checkpoint_end(LLVMModuleRef module)
{
	in_pass = false;
	if (!in_trial)
		return;
	generate_code(module);
	_exit(0);
}

/* ---- The parent's files -------------------------------------------------------------------- */

/*
 * Parent and child share file offsets, and a failed attempt may have written a part of its output.
 */
struct output {
	int fd;
	off_t position, size;
};

struct outputs {
	struct output *file;
	size_t count;
	int text[2]; /* copies of what the child wrote to descriptors 1 and 2; -1 = not redirected
		      */
};

static void save_files(struct outputs *outputs)
{
	DIR *fds = opendir("/proc/self/fd");

	for (struct dirent *entry; fds && (entry = readdir(fds));) {
		struct output file = {.fd = atoi(entry->d_name)};
		struct stat status;

		if (file.fd <= 2 || (fcntl(file.fd, F_GETFL) & O_ACCMODE) == O_RDONLY ||
		    fstat(file.fd, &status) || !S_ISREG(status.st_mode))
			continue;
		file.position = lseek(file.fd, 0, SEEK_CUR);
		file.size = status.st_size;
		outputs->file =
			pass_alloc(outputs->file, (outputs->count + 1) * sizeof(*outputs->file));
		outputs->file[outputs->count++] = file;
	}
	if (fds)
		closedir(fds);
	fflush(NULL);
}

/*
 * A child that only tries writes no files. An application's streams are left alone: one of them may
 * be locked for long by a thread that reads from it.
 */
static void save_outputs(struct outputs *outputs, bool trial)
{
	if (!trial)
		save_files(outputs);
	for (int i = 0; i < 2; i++)
		outputs->text[i] = memfd_create("probe", MFD_CLOEXEC);
}

static bool restore_outputs(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (ftruncate(outputs->file[i].fd, outputs->file[i].size) ||
		    lseek(outputs->file[i].fd, outputs->file[i].position, SEEK_SET) < 0)
			return false;
	return true;
}

static void free_outputs(struct outputs *outputs)
{
	for (int i = 0; i < 2; i++)
		if (outputs->text[i] >= 0)
			close(outputs->text[i]);
	free(outputs->file);
}

static void copy_text(int from, int to)
{
	char buffer[4096];
	off_t at = 0;
	ssize_t size;

	while ((size = pread(from, buffer, sizeof(buffer), at)) > 0) {
		for (ssize_t done = 0, more; done < size; done += more) {
			more = write(to, buffer + done, (size_t)(size - done));
			if (more < 0 && errno != EINTR)
				return;
			more = more < 0 ? 0 : more;
		}
		at += size;
	}
}

/* ---- The parent ---------------------------------------------------------------------------- */

/* Did the user or a build system end the compiler? */
static bool is_request(int status)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static void read_failures(int fd, struct compile_failures *ret)
{
	struct compile_failure failure;
	ssize_t size;

	while ((size = read(fd, &failure, sizeof(failure))) != 0) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size != sizeof(failure))
			return;
		ret->failure = pass_alloc(ret->failure, (ret->count + 1) * sizeof(*ret->failure));
		ret->failure[ret->count++] = failure;
	}
}

static void add_failure(int status, struct compile_failures *ret)
{
	ret->failure = pass_alloc(NULL, sizeof(*ret->failure));
	ret->count = 1;
	memset(ret->failure, 0, sizeof(*ret->failure));
	snprintf(ret->failure->message, sizeof(ret->failure->message),
		 WIFSIGNALED(status) ? "the compiler ended by signal %d"
				     : "the compiler ended with status %d",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static int wait_for(pid_t child, int fd, struct compile_failures *ret)
{
	int status = 0;

	read_failures(fd, ret);
	close(fd);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* After the child that continues in the parent's place. Returns if it failed. */
static void take_over(int status, const struct outputs *outputs, struct compile_failures *ret)
{
	if ((!ret->count && !status) || is_request(status)) {
		for (int i = 0; i < 2; i++)
			if (outputs->text[i] >= 0)
				copy_text(outputs->text[i], i + 1);
		if (status)
			raise(WTERMSIG(status));
		/* The child has run all exit handlers already. */
		_exit(status ? 1 : 0);
	}
	if (!ret->count)
		add_failure(status, ret);
	if (!restore_outputs(outputs)) {
		fprintf(stderr, "probe: error: the compiler's output cannot be written again: %s\n",
			strerror(errno));
		_exit(1);
	}
}

static void begin_child(LLVMModuleRef module, const struct outputs *outputs, int fd, bool trial)
{
	for (int i = 0; i < 2; i++)
		if (outputs->text[i] >= 0)
			dup2(outputs->text[i], i + 1);
	report_fd = fd;
	in_trial = trial;
	in_pass = true;
	compile_errors_catch(module, PASS_CLONES, caught, crashed);
}

bool checkpoint_attempt(LLVMModuleRef module, struct compile_failures *ret)
{
	struct outputs outputs = {0};
	pid_t child, parent = getpid();
	bool trial = is_trial();
	int ends[2], status;

	*ret = (struct compile_failures){0};
	if (pipe2(ends, O_CLOEXEC))
		return true;
	save_outputs(&outputs, trial);
	child = fork();
	if (child > 0) {
		close(ends[1]);
		status = wait_for(child, ends[0], ret);
		if (!trial)
			take_over(status, &outputs, ret);
		else if (!ret->count && status)
			add_failure(status, ret);
		free_outputs(&outputs);
		if (!ret->count)
			compile_warnings_drop(module, PASS_CLONES);
		return !ret->count;
	}
	close(ends[0]);
	if (child < 0) {
		close(ends[1]);
		free_outputs(&outputs);
		return true;
	}
	/*
	 * The parent reports the result of the compilation, so that the child must not outlive it.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	begin_child(module, &outputs, ends[1], trial);
	free_outputs(&outputs);
	return true;
}
