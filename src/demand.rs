//! A hidden test build (feature `panic-on-demand`) panics where it is told to, so that it can be
//! shown that every boundary contains a panic. In every other build this is nothing.

/// Panics where the test build reads `panic-on-demand:<place>;` in what it was given.
#[inline]
pub(crate) fn panic_if_asked(place: &str, given: impl AsRef<[u8]>) {
    #[cfg(feature = "panic-on-demand")]
    {
        let magic = format!("panic-on-demand:{place};");
        let asked = given
            .as_ref()
            .windows(magic.len())
            .any(|window| window == magic.as_bytes());
        #[expect(clippy::panic, reason = "what this build is for")]
        if asked {
            panic!("on demand, at {place}");
        }
    }
    #[cfg(not(feature = "panic-on-demand"))]
    let _ = (place, given);
}
