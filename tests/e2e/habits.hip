// SPDX-License-Identifier: MIT
// What programs do that breaks tools inside them: one habit, named by the first argument, and kernels. Prints what a user
// sees of it; habits.sh compares that with a run without Probe.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

__global__ void fill(int *p, int n)
{
	p[threadIdx.x] = threadIdx.x + n;
}

__global__ void slow(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[threadIdx.x] += i;
}

// Returns the sum that the kernel computed, or -1.
static long launch(int n)
{
	int *p, host[64] = {};
	long sum = 0;

	if (hipMalloc(&p, sizeof(host)) != hipSuccess)
		return -1;
	fill<<<1, 64>>>(p, n);
	if (hipMemcpy(host, p, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess)
		return -1;
	hipFree(p);
	for (int value : host)
		sum += value;
	return sum;
}

static void show(int n)
{
	printf("%d: %ld\n", n, launch(n));
	fflush(stdout);
}

// Of a process or thread, as its folder in /proc shows it; 0: it is gone.
static char state_of(const std::string &folder)
{
	char state = 0;
	FILE *file = fopen((folder + "/stat").c_str(), "r");

	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (file)
		fclose(file);
	return state;
}

// The program's threads, as soon as all others sleep: ROCr 6 starts one that ends at once, and with
// load that may be still there.
static int threads()
{
	for (;;) {
		DIR *tasks = opendir("/proc/self/task");
		int count = 0, asleep = 0;

		if (!tasks)
			return -1;
		while (dirent *task = readdir(tasks)) {
			if (task->d_name[0] == '.')
				continue;
			count++;
			asleep += state_of(std::string("/proc/self/task/") + task->d_name) == 'S';
		}
		closedir(tasks);
		if (asleep == count - 1)
			return count;
		sched_yield();
	}
}

// Descriptors, signal handlers and blocked signals as the program sees them.
static void show_state()
{
	sigset_t mask;
	int count = 0, handlers = 0;

	for (int fd = 0; fd < 64; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	for (int number = 1; number < 32; number++) {
		struct sigaction action;

		if (!sigaction(number, nullptr, &action))
			handlers += action.sa_handler != SIG_DFL;
	}
	sigprocmask(SIG_BLOCK, nullptr, &mask);
	printf("descriptors %d, handlers %d, blocked %d, errno %d\n", count, handlers,
	       sigismember(&mask, SIGTERM), errno);
}

static void limit(int which, rlim_t value)
{
	struct rlimit limit;

	getrlimit((__rlimit_resource)which, &limit);
	limit.rlim_cur = value;
	setrlimit((__rlimit_resource)which, &limit);
}

static sigjmp_buf back;
static std::atomic<int> ticks;

static void on_fault(int)
{
	siglongjmp(back, 1);
}

static void on_tick(int)
{
	ticks++;
}

static int children;

static void on_child(int)
{
	int saved = errno;

	while (waitpid(-1, nullptr, WNOHANG) > 0)
		children++;
	errno = saved;
}

// Sockets cannot be made: the program is in a sandbox.
static void no_sockets()
{
	sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	sock_fprog program = {sizeof(code) / sizeof(*code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void callback(hipStream_t, hipError_t, void *what)
{
	if (!strcmp((const char *)what, "abort"))
		abort();
	if (!strcmp((const char *)what, "_exit"))
		_exit(9);
	puts("called back");
	fflush(stdout);
}

static void *small_thread(void *n)
{
	show((int)(intptr_t)n);
	return nullptr;
}

static void on_small_stack()
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 96 << 10);
	if (!pthread_create(&thread, &attributes, small_thread, (void *)7))
		pthread_join(thread, nullptr);
}

static void forked()
{
	pid_t child = fork();

	if (!child)
		_exit(11);
	int status = 0;
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
}

static void spawned()
{
	char name[] = "true", *argv[] = {name, nullptr};
	int status = -1;
	pid_t child;

	if (!posix_spawnp(&child, "true", nullptr, nullptr, argv, environ))
		waitpid(child, &status, 0);
	printf("spawned %d\n", status);
}

static void at_exit()
{
	puts("at exit");
	fflush(stdout);
}

// Before HIP starts. False: the name is none of these.
static bool before(const char *how)
{
	if (!strcmp(how, "closed-before"))
		close_range(3, ~0u, 0);
	else if (!strcmp(how, "no-stdin"))
		close(0);
	else if (!strcmp(how, "no-stderr"))
		close(2);
	else if (!strcmp(how, "deleted-folder")) {
		mkdir("gone", 0700);
		if (!chdir("gone"))
			rmdir("../gone");
	} else if (!strcmp(how, "few-files"))
		limit(RLIMIT_NOFILE, 40);
	else if (!strcmp(how, "no-file-size"))
		limit(RLIMIT_FSIZE, 0);
	else if (!strcmp(how, "no-core"))
		limit(RLIMIT_CORE, 0);
	else if (!strcmp(how, "small-stack"))
		limit(RLIMIT_STACK, 256 << 10);
	else if (!strcmp(how, "umask"))
		umask(0777);
	else if (!strcmp(how, "no-environment"))
		clearenv();
	else if (!strcmp(how, "huge-environment")) {
		for (int i = 0; i < 500; i++)
			setenv(("HIP_X" + std::to_string(i)).c_str(), std::string(1000, 'x').c_str(), 1);
	} else if (!strcmp(how, "sandbox"))
		no_sockets();
	else if (!strcmp(how, "not-dumpable"))
		prctl(PR_SET_DUMPABLE, 0);
	else if (!strcmp(how, "own-session"))
		setsid();
	else if (!strcmp(how, "all-blocked")) {
		sigset_t all;

		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, nullptr);
	} else if (!strcmp(how, "locale"))
		setlocale(LC_ALL, "de_DE.UTF-8");
	else if (!strcmp(how, "rounding"))
		fesetround(FE_UPWARD);
	else if (!strcmp(how, "tick")) {
		itimerval every = {{0, 1000}, {0, 1000}};

		signal(SIGPROF, on_tick);
		setitimer(ITIMER_PROF, &every, nullptr);
	} else if (!strcmp(how, "daemon")) {
		if (fork())
			_exit(0);
		setsid();
		if (fork())
			_exit(0);
	} else if (!strcmp(how, "child-handler"))
		signal(SIGCHLD, on_child);
	else
		return false;
	return true;
}

static int after(const char *how, char **argv)
{
	static char word[16];
	int *p;

	if (!strcmp(how, "fault")) {
		signal(SIGSEGV, on_fault);
		if (!sigsetjmp(back, 1))
			*(volatile int *)nullptr = 1;
		puts("recovered");
	} else if (!strcmp(how, "exec")) {
		setenv("AGAIN", "1", 1);
		char *again[] = {argv[0], strcpy(word, "plain"), nullptr};
		execv("/proc/self/exe", again);
	} else if (!strcmp(how, "callback") || !strcmp(how, "abort") || !strcmp(how, "_exit")) {
		hipStreamAddCallback(nullptr, callback, strcpy(word, how), 0);
		hipDeviceSynchronize();
		sleep(strcmp(how, "callback") ? 100 : 0);
	} else if (!strcmp(how, "threads")) {
		// The threads end while their kernels run.
		if (hipMalloc(&p, 256 * sizeof(int)) == hipSuccess) {
			for (int i = 0; i < 8; i++)
				std::thread([p] { slow<<<1, 64>>>(p, 300); }).join();
			hipDeviceSynchronize();
		}
	} else if (!strcmp(how, "exit-while-running")) {
		if (hipMalloc(&p, 256 * sizeof(int)) == hipSuccess)
			slow<<<1, 64>>>(p, 100);
		exit(12);
	} else if (!strcmp(how, "exit-elsewhere")) {
		std::thread([] { exit(13); }).join();
	} else if (!strcmp(how, "small-thread"))
		on_small_stack();
	else if (!strcmp(how, "fork"))
		forked();
	else if (!strcmp(how, "spawn"))
		spawned();
	else if (!strcmp(how, "at-exit"))
		atexit(at_exit);
	else if (!strcmp(how, "much-output")) {
		for (int i = 0; i < 64 << 10; i++)
			printf("%01023d\n", i);
	} else if (!strcmp(how, "kill"))
		raise(SIGKILL);
	else if (!strcmp(how, "terminate"))
		raise(SIGTERM);
	else if (!strcmp(how, "stop")) {
		pid_t parent = getpid();

		if (!fork()) {
			while (state_of("/proc/" + std::to_string(parent)) != 'T')
				usleep(1000);
			kill(parent, SIGCONT);
			_exit(0);
		}
		raise(SIGSTOP);
		puts("continued");
	} else if (!strcmp(how, "dlclose")) {
		void *hip = dlopen("libamdhip64.so.5", RTLD_NOW);

		if (hip)
			dlclose(hip), dlclose(hip);
	} else if (!strcmp(how, "close-after"))
		close_range(600, ~0u, 0);
	else if (!strcmp(how, "cancel")) {
		std::thread thread([] {
			for (;;)
				launch(1), pthread_testcancel();
		});

		pthread_cancel(thread.native_handle());
		thread.join();
	}
	return 0;
}

// Kernels are launched before main() if the program's first argument is "static".
static struct early {
	early()
	{
		char words[64] = "";
		FILE *file = fopen("/proc/self/cmdline", "r");
		size_t size = file ? fread(words, 1, sizeof(words) - 1, file) : 0;

		if (file)
			fclose(file);
		if (size > strlen(words) && !strcmp(words + strlen(words) + 1, "static"))
			show(0);
	}
} early_launch;

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	bool early = before(how);
	int devices = 0;

	// The tool is loaded, and idle.
	if (strcmp(how, "static") && hipGetDeviceCount(&devices) == hipSuccess)
		printf("%d devices, %d threads\n", devices, threads());
	show(1);
	show_state();
	if (!early)
		after(how, argv);
	show(2);
	if (children)
		printf("%d children\n", children);
	return argc > 2 ? atoi(argv[2]) : 0;
}
