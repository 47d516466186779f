#!/bin/sh
# rustc as cargo calls it for scripts/fuzz.mjs: what is under test is watched, as cargo-fuzz watches
# it without a sanitizer (the crate has no unsafe code for one to watch); libraries are not, so
# that the fuzzer looks for new ways through this project and loses no time on those of others.
case " $* " in
  *' --crate-name intent_runtime '* | *' --crate-name intent_runtime_fuzz '* | \
    *' --crate-name ecma_pattern '* | *' --crate-name strict_json '*)
    exec "$@" -Cpasses=sancov-module \
      -Cllvm-args=-sanitizer-coverage-level=4 \
      -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
      -Cllvm-args=-sanitizer-coverage-pc-table \
      -Cllvm-args=-sanitizer-coverage-trace-compares
    ;;
esac
exec "$@"
