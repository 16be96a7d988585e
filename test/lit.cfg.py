"""Configuration of the lit suite; the build writes lit.site.cfg.py."""

import os

import lit.formats

config.name = "ipu-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Install"]
config.test_source_root = os.path.join(config.ipu_source_dir, "test")
config.test_exec_root = os.path.join(config.ipu_binary_dir, "test")

# LLVM's tools go first: another FileCheck may be in /usr/bin.
config.environment["PATH"] = os.path.pathsep.join(
    [
        config.llvm_tools_dir,
        os.path.join(config.ipu_binary_dir, "bin"),
        config.environment["PATH"],
    ]
)
# Compiled kernels are kept in the build folder, not in the user's.
config.environment["XDG_CACHE_HOME"] = os.path.join(
    config.test_exec_root, "cache"
)
# Reports have a date.
config.environment["SOURCE_DATE_EPOCH"] = "1767225600"
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
# libMLIR is not instrumented: it does not unpoison what our code poisons in
# allocators that both use.
config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"

# The packages of build/python.
config.python_path = os.path.join(config.ipu_binary_dir, "python")
if config.has_python_packages:
    config.available_features.add("python")

if config.sanitizers:
    config.available_features.add("asan")
# All come with utils/install-deps --browser.
if all(
    os.path.exists(path)
    for path in (
        "/usr/bin/chromium",
        "/usr/bin/chromedriver",
        "/usr/lib/python3/dist-packages/PIL",
        "/usr/lib/python3/dist-packages/selenium",
    )
):
    config.available_features.add("chromium")

plugin = os.path.join(config.ipu_binary_dir, "lib", "IPUMLIRPlugin.so")
config.substitutions += [
    # The plugin, and the flags that load its dialects and passes.
    ("%ipu_plugin", plugin),
    (
        "%load_plugin",
        f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}",
    ),
    # Debian's mlir-opt.
    ("%mlir_opt", os.path.join(config.llvm_tools_dir, "mlir-opt")),
    ("%llvm_include", config.llvm_include_dir),
    ("%python_path", config.python_path),
    ("%python", config.python),
    ("%src_root", config.ipu_source_dir),
]
