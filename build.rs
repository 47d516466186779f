//! Build script: link settings for the addon.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
    // A crash report names the very build by it. GNU's linker writes one unasked, Zig's does not.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--build-id=sha1");
    }
}
