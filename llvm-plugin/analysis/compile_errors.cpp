/* SPDX-License-Identifier: MIT */
/* Errors of the compiler; see compile_errors.h. No exceptions, no RTTI. */
#include "llvm-plugin/analysis/compile_errors.h"

#include <csignal>
#include <memory>
#include <string>
#include <unistd.h>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

static compile_error_fn caught_by;
static compile_crash_fn crashed_by;

/*
 * Few errors name their function. LLVM's stack trace entries do: "Running pass 'Greedy Register
 * Allocator' on function '@name'". There is no other interface to them.
 */
static std::string current_function()
{
	static const char before[] = " on function '@";
	auto *entry = static_cast<const PrettyStackTraceEntry *>(SavePrettyStackState());

	for (; entry; entry = entry->getNextEntry()) {
		std::string text;
		raw_string_ostream stream(text);

		entry->print(stream);
		stream.flush();
		size_t begin = text.find(before), end = text.rfind('\'');

		if (begin == std::string::npos)
			continue;
		begin += sizeof(before) - 1;
		if (text[begin] == '"' && end > begin + 2)
			return text.substr(begin + 1, end - begin - 2);
		return text.substr(begin, end - begin);
	}
	return std::string();
}

static void report(const char *message, bool fatal)
{
	std::string function = current_function();

	caught_by(function.empty() ? nullptr : function.c_str(), message, fatal);
}

namespace
{
/* Wraps the compiler's own handler. */
struct Quiet : public DiagnosticHandler {
	std::unique_ptr<DiagnosticHandler> inner;
	std::string quiet;

	Quiet(std::unique_ptr<DiagnosticHandler> handler, const char *prefix)
	    : inner(std::move(handler)), quiet(prefix)
	{
	}
	/* Notes follow a warning, but clang prints them if another one preceded them. */
	bool handleDiagnostics(const DiagnosticInfo &info) override
	{
		if ((info.getSeverity() == DS_Warning || info.getSeverity() == DS_Note) &&
		    !current_function().compare(0, quiet.size(), quiet))
			return true;
		return inner && inner->handleDiagnostics(info);
	}
	bool isAnalysisRemarkEnabled(StringRef pass) const override
	{
		return inner && inner->isAnalysisRemarkEnabled(pass);
	}
	bool isMissedOptRemarkEnabled(StringRef pass) const override
	{
		return inner && inner->isMissedOptRemarkEnabled(pass);
	}
	bool isPassedOptRemarkEnabled(StringRef pass) const override
	{
		return inner && inner->isPassedOptRemarkEnabled(pass);
	}
	bool isAnyRemarkEnabled() const override
	{
		return inner && inner->isAnyRemarkEnabled();
	}
};

struct Catcher : public Quiet {
	bool failed = false;

	using Quiet::Quiet;
	/* The code generator has finished, and its output would be used. */
	~Catcher() override
	{
		if (failed)
			_exit(1);
	}
	bool handleDiagnostics(const DiagnosticInfo &info) override
	{
		if (info.getSeverity() == DS_Error) {
			std::string text;
			raw_string_ostream stream(text);
			DiagnosticPrinterRawOStream printer(stream);

			info.print(printer);
			stream.flush();
			failed = true;
			report(text.c_str(), false);
			return true;
		}
		return Quiet::handleDiagnostics(info);
	}
};
} // namespace

static void fatal_error(void *, const char *message, bool)
{
	report(message, true);
	_exit(1);
}

static void crash(int number)
{
	std::string function = current_function();

	crashed_by(function.empty() ? nullptr : function.c_str(), number);
	_exit(1);
}

/*
 * Replaces LLVM's handlers, which first remove the files that the process was writing: those of the
 * parent, which needs them. A second signal, in the handler, has its default action.
 */
static void catch_crashes()
{
	static const int numbers[] = {SIGILL,  SIGTRAP, SIGABRT, SIGFPE, SIGBUS,
				      SIGSEGV, SIGSYS,	SIGXCPU, SIGXFSZ};
	static char stack[128 << 10]; /* the other one may have overflowed */
	stack_t alternative = {};
	struct sigaction action = {};

	alternative.ss_sp = stack;
	alternative.ss_size = sizeof(stack);
	sigaltstack(&alternative, nullptr);
	action.sa_handler = crash;
	action.sa_flags = SA_ONSTACK | SA_NODEFER | (int)SA_RESETHAND;
	for (int number : numbers)
		sigaction(number, &action, nullptr);
}

void compile_errors_catch(LLVMModuleRef module, const char *quiet, compile_error_fn caught,
			  compile_crash_fn crashed)
{
	LLVMContext &context = unwrap(module)->getContext();

	caught_by = caught;
	crashed_by = crashed;
	context.setDiagnosticHandler(
		std::make_unique<Catcher>(context.getDiagnosticHandler(), quiet));
	remove_fatal_error_handler();
	install_fatal_error_handler(fatal_error);
	catch_crashes();
}

void compile_warnings_drop(LLVMModuleRef module, const char *quiet)
{
	LLVMContext &context = unwrap(module)->getContext();

	context.setDiagnosticHandler(
		std::make_unique<Quiet>(context.getDiagnosticHandler(), quiet),
		/* As linkers do, whose handlers would print all remarks. */
		true);
}
