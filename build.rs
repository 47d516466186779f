//! Build script: link settings for the addon.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
    fold_identical_code();
}

/// Generic code is compiled many times to the same instructions; folding it makes the addon an
/// eighth smaller. LLVM's linker does it when asked, and rustc links with it on this target; Zig's
/// refuses the option, and the linkers of other targets have none or do it by themselves.
fn fold_identical_code() {
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let is = |name, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let by_zig = std::env::var("RUSTC_LINKER").is_ok_and(|linker| linker.contains("zig"));
    if is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release") && !by_zig {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--icf=all");
    }
}
