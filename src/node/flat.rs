//! Arrays that cross to JavaScript. An object with a property for each value costs several times as
//! much, since the engine looks up every name that crosses.

use std::ptr;

use napi::bindgen_prelude::{Result, ToNapiValue};
use napi::{check_status, sys};

/// A JavaScript array of known length, filled in order.
pub(super) struct FlatArray {
    env: sys::napi_env,
    array: sys::napi_value,
    filled: u32,
}

impl FlatArray {
    /// # Safety
    ///
    /// `env` is an environment of the calling thread with an open handle scope that outlives the array.
    pub(super) unsafe fn new(env: sys::napi_env, length: usize) -> Result<Self> {
        let mut array = ptr::null_mut();
        // SAFETY: as the caller vouches.
        check_status!(unsafe { sys::napi_create_array_with_length(env, length, &raw mut array) })?;
        Ok(Self {
            env,
            array,
            filled: 0,
        })
    }

    /// The next element. `None` crosses as `null`, so that every element is the array's own.
    pub(super) fn push(&mut self, value: impl ToNapiValue) -> Result<()> {
        // SAFETY: the environment and the array are alive, as the caller of `new` vouched.
        check_status!(unsafe {
            let value = ToNapiValue::to_napi_value(self.env, value)?;
            sys::napi_set_element(self.env, self.array, self.filled, value)
        })?;
        self.filled += 1;
        Ok(())
    }

    pub(super) fn into_value(self) -> sys::napi_value {
        self.array
    }
}
