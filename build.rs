//! Build script: link settings for the addon.

fn main() {
    #[cfg(feature = "node")]
    napi_build::setup();
}
