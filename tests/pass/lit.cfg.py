# SPDX-License-Identifier: MIT
# lit configuration of the pass tests. pass.cmake hands over, in the environment, what they use.
import os

import lit.formats

config.name = "pass"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".ll", ".hip", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ["PASS_TEST_DIR"]
config.excludes = ["Inputs"]

llvm = os.environ["PASS_LLVM_BIN"]
plugins = os.environ["PASS_PLUGINS"]
plugin = f"{plugins}/llvm-15/libprobe.so"
hipcc = os.environ["PASS_HIPCC"]

for name in ("HOME", "TMPDIR", "HIP_PLATFORM"):
	if name in os.environ:
		config.environment[name] = os.environ[name]
config.environment["PATH"] = llvm + ":" + os.environ["PATH"]
# Nothing of the user's reaches the pass.
for name in ("PROBE_KINDS", "PROBE_SCOPE", "PROBE_SPACES", "PROBE_TIME", "PROBE_PORTABLE", "PROBE_VERBOSE", "PROBE_SITES_MEASURED"):
	config.environment.pop(name, None)

config.substitutions += [
	# The pass and the verifier, always.
	("%probe", f"{llvm}/opt -load-pass-plugin {plugin} -passes=probe,verify -S"),
	# Device code alone, with and without the pass.
	("%hip_plain", f"{hipcc} --offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output -c"),
	("%hip_probe", f"{hipcc} --offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output -c "
		f"-fpass-plugin={plugin}"),
	("%hip_asm", f"{hipcc} --offload-arch=gfx90a --cuda-device-only -S -fpass-plugin={plugin}"),
	("%hipcc", hipcc),
	("%units", f"python3 {config.test_source_root}/units.py {llvm} {plugin}"),
	("%plugins", plugins),
	("%plugin", plugin),
	("%llvm19", "/usr/lib/llvm-19/bin"),
	("%llvm", llvm),
]
for major in (16, 19):
	if os.path.exists(f"{plugins}/llvm-{major}/libprobe.so"):
		config.available_features.add(f"llvm-{major}")
