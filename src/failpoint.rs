//! Failpoints: places where a hidden test build (feature `panic-on-demand`) panics if its input says
//! so. The tests use them to show that every boundary contains a panic. In every other build a
//! failpoint does nothing.

/// In the test build, panics if `input` contains `panic-on-demand:<place>;`.
#[inline]
pub(crate) fn hit(place: &str, input: impl AsRef<[u8]>) {
    #[cfg(feature = "panic-on-demand")]
    {
        let magic = format!("panic-on-demand:{place};");
        let is_named = input
            .as_ref()
            .windows(magic.len())
            .any(|window| window == magic.as_bytes());
        #[expect(clippy::panic, reason = "this build exists to panic here")]
        if is_named {
            panic!("on demand, at {place}");
        }
    }
    #[cfg(not(feature = "panic-on-demand"))]
    let _ = (place, input);
}
