//! The environment of an executor: proxies and certificates that the process names.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::address::Lookup;

/// Root certificates as PEM texts, asked for only where the system has none. Called on a
/// thread that may block.
pub type FallbackRoots = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// A variable that is set, and not to nothing.
#[derive(Clone)]
pub struct Variable {
    /// Its name, for messages.
    pub name: &'static str,
    /// Its value; that of a proxy may hold a password.
    pub value: String,
}

/// Read once, when an executor is made: the environment may change later, and reading it from
/// another thread then is not safe everywhere (`getenv(3)`).
#[derive(Clone, Default)]
pub struct Environment {
    /// The proxy for https: `HTTPS_PROXY`, then `ALL_PROXY`.
    pub proxy: Option<Variable>,
    /// `NO_PROXY`: hosts that need none.
    pub no_proxy: Option<String>,
    /// `SSL_CERT_FILE`: a PEM file in place of the system's certificates.
    pub cert_file: Option<PathBuf>,
    /// `SSL_CERT_DIR`: folders of PEM files in place of the system's certificates.
    pub cert_dirs: Vec<PathBuf>,
    /// `NODE_EXTRA_CA_CERTS`: a PEM file beside whatever else is trusted.
    pub extra_certs: Option<PathBuf>,
    /// The roots that serve if the system has no certificate.
    pub fallback_roots: Option<FallbackRoots>,
    /// Resolves names in place of the system.
    pub lookup: Option<Lookup>,
}

impl Environment {
    /// Reads the environment of this process. The upper-case spelling of a variable takes precedence, as in hyper.
    #[must_use]
    pub fn from_process() -> Self {
        let text = |names: &[&'static str]| {
            names.iter().find_map(|&name| {
                let value = env::var_os(name)?.to_string_lossy().trim().to_owned();
                (!value.is_empty()).then_some(Variable { name, value })
            })
        };
        let path = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            proxy: text(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]),
            no_proxy: text(&["NO_PROXY", "no_proxy"]).map(|variable| variable.value),
            cert_file: path("SSL_CERT_FILE").map(PathBuf::from),
            cert_dirs: path("SSL_CERT_DIR")
                .map(|value| {
                    env::split_paths(&value)
                        .filter(|p| !p.as_os_str().is_empty())
                        .collect()
                })
                .unwrap_or_default(),
            extra_certs: path("NODE_EXTRA_CA_CERTS").map(PathBuf::from),
            fallback_roots: None,
            lookup: None,
        }
    }
}

/// Shows only names, because a proxy's address may contain a password.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("proxy", &self.proxy.as_ref().map(|variable| variable.name))
            .field("cert_file", &self.cert_file)
            .field("cert_dirs", &self.cert_dirs)
            .field("extra_certs", &self.extra_certs)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
