#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| intent_runtime_fuzz::config::run(data));
