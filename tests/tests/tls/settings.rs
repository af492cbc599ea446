//! TLS settings, and that no private key is printed.

use std::process::Command;

use tradeapi::runtime::transport::{HyperTransport, ReqwestTransport, TlsSettings, TransportLimits};
use tradeapi::{Client, Credentials};

use crate::server::{Authority, Server, config};
use crate::{HERE, cancel};

#[test]
fn invalid_settings_are_errors() {
    let authority = Authority::new();
    let (one, other) = (authority.signs("one"), authority.signs("other"));
    for pem in
        ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &one.key.serialize_pem()]
    {
        assert!(TlsSettings::new().add_roots(pem).is_err(), "{pem}");
        assert!(TlsSettings::new().client_certificate(pem, one.key.serialize_pem()).is_err(), "{pem}");
    }
    assert!(TlsSettings::new().client_certificate(&one.pem, other.key.serialize_pem()).is_err());
    assert!(TlsSettings::new().client_certificate(&one.pem, one.key.serialize_pem()).is_ok());
}

/// Private keys are not printed even if their text is invalid.
#[test]
fn private_keys_are_not_printed() {
    let own = Authority::new().signs("desk");
    let key = own.key.serialize_pem();
    let secret: Vec<&str> = key.lines().filter(|line| !line.starts_with('-')).collect();
    let leaked =
        |text: String| secret.iter().find(|line| text.contains(&line[..line.len().min(12)])).map(|_| text.clone());
    let settings = TlsSettings::new().client_certificate(&own.pem, &key).unwrap();
    let limits = TransportLimits::default();
    let shown = [
        format!("{settings:?}"),
        format!("{:?}", HyperTransport::with_tls(limits, &settings).unwrap()),
        format!("{:?}", ReqwestTransport::with_tls(limits, &settings, |settings| settings).unwrap()),
        format!("{:?}", Client::builder("https://127.0.0.1").tls(settings.clone())),
        format!("{:?}", Client::builder("https://127.0.0.1").tls(settings).build().unwrap()),
    ];
    for text in shown {
        assert_eq!(leaked(text), None);
    }
    let broken = [
        key.replace("-----BEGIN", "-----BEGIN "),
        key.replace("-----END", "END"),
        key.replace('\n', " "),
        key.replace("PRIVATE KEY", "CERTIFICATE"),
        format!("-----BEGIN {}", &key[27..]),
        key[..key.len() - 40].to_owned(),
        secret.concat(),
    ];
    for pem in broken {
        for error in [
            TlsSettings::new().client_certificate(&own.pem, &pem).unwrap_err(),
            TlsSettings::new().client_certificate(&pem, &key).unwrap_err(),
            TlsSettings::new().add_roots(&pem).unwrap_err(),
        ] {
            assert_eq!(leaked(format!("{error} {error:?}")), None, "{pem}");
        }
    }
}

/// The address of the server, for the other process.
const SERVER: &str = "TRADEAPI_TEST_TLS_SERVER";

/// The test starts itself as another process with a changed environment, which determines the system's roots.
#[cfg(all(unix, not(target_vendor = "apple")))]
#[test]
fn the_roots_of_the_system_are_trusted_if_they_are_added() {
    let authority = Authority::new();
    let server = Server::start(config(&authority.signs(HERE), &[], None));
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, &authority.pem).unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "settings::calls_the_server_of_the_environment"]).env(SERVER, server.url());
    let ran = again.env("SSL_CERT_FILE", &roots).env_remove("SSL_CERT_DIR").output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn calls_the_server_of_the_environment() {
    let Ok(server) = std::env::var(SERVER) else { return };
    let client = |tls| {
        let credentials = Credentials::new("key", "secret", "passphrase");
        Client::builder(&server).credentials(credentials).tls(tls).build().unwrap()
    };
    client(TlsSettings::new()).call(&cancel()).await.expect_err("it is not on Mozilla's list");
    let of_system = TlsSettings::without_roots().add_system_roots().unwrap();
    client(of_system).call(&cancel()).await.unwrap();
}
