//! The certificates of the operating system.
//!
//! `rustls-native-certs` looks into the environment before it looks into the system, and so does
//! what it is built on, though the environment was read when the executor was made. Where
//! certificates are files, they are therefore looked for here.

use rustls::pki_types::CertificateDer;

/// Bundles, in the order in which OpenSSL's packagers and Go's `crypto/x509` look for them.
#[cfg(all(unix, not(target_os = "macos")))]
const BUNDLES: [&str; 10] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/cert.pem",
    "/opt/etc/ssl/certs/ca-certificates.crt",
    "/usr/local/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// Folders of single certificates, some of which are in no bundle.
#[cfg(all(unix, not(target_os = "macos")))]
const FOLDERS: [&str; 4] = [
    "/etc/ssl/certs",
    "/etc/pki/tls/certs",
    "/etc/security/certificates",
    "/usr/local/share/certs",
];

#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn certificates() -> Vec<CertificateDer<'static>> {
    files(
        BUNDLES.iter().map(std::path::Path::new),
        FOLDERS.iter().map(std::path::Path::new),
    )
}

/// Returns the certificates of the first bundle that holds any, and of every folder.
#[cfg(all(unix, not(target_os = "macos")))]
fn files<'p>(
    bundles: impl IntoIterator<Item = &'p std::path::Path>,
    folders: impl IntoIterator<Item = &'p std::path::Path>,
) -> Vec<CertificateDer<'static>> {
    use rustls_native_certs::load_certs_from_paths as load;

    let mut found = bundles
        .into_iter()
        .map(|bundle| load(Some(bundle), None).certs)
        .find(|certs| !certs.is_empty())
        .unwrap_or_default();
    for folder in folders {
        found.extend(load(None, Some(folder)).certs);
    }
    found.sort_unstable_by(|a, b| a.as_ref().cmp(b.as_ref()));
    found.dedup();
    found
}

/// Certificates are not files here, so `rustls-native-certs` reads the environment once more.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(super) fn certificates() -> Vec<CertificateDer<'static>> {
    rustls_native_certs::load_native_certs().certs
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use std::fs;
    use std::path::Path;

    use rcgen::generate_simple_self_signed;

    use super::files;

    #[test]
    fn an_empty_bundle_is_no_bundle() {
        let folder = std::env::temp_dir().join(format!("intent-roots-{}", std::process::id()));
        fs::create_dir_all(folder.join("single")).unwrap();
        let pem = |name: &str| {
            generate_simple_self_signed([name.to_owned()])
                .unwrap()
                .cert
                .pem()
        };
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let empty = write("empty.pem", "");
        let odd = write("odd.pem", "# no certificate\n");
        let whole = write("whole.pem", &format!("{}{}", pem("a"), pem("b")));
        let other = write("other.pem", &pem("c"));
        write("single/d.pem", &pem("d"));
        let single = folder.join("single");
        let none = Path::new("/nonexistent/ca.pem");
        let count = |bundles: &[&Path], folders: &[&Path]| {
            files(bundles.iter().copied(), folders.iter().copied()).len()
        };
        assert_eq!(count(&[none, &empty, &odd, &whole, &other], &[]), 2);
        assert_eq!(count(&[&other, &whole], &[&single, none]), 2);
        assert_eq!(count(&[&whole, &other], &[&single, &single]), 3);
        assert_eq!(count(&[none, &empty, &odd], &[none]), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
