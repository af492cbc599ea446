//! The transports of the runtime, which share their tests.

use tradeapi::Client;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::transport::{HyperTransport, ReqwestTransport, TlsSettings, TransportLimits};

/// A transport of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// [`HyperTransport`]
    Hyper,
    /// [`ReqwestTransport`]
    Reqwest,
}

impl Over {
    /// All transports.
    pub const ALL: [Self; 2] = [Self::Hyper, Self::Reqwest];

    /// Returns a builder of a client that sends over this transport.
    pub fn client(self, base_url: impl Into<String>, limits: TransportLimits) -> ClientBuilder<Client> {
        self.client_with_tls(base_url, limits, &TlsSettings::new())
    }

    /// Returns the same with TLS settings.
    pub fn client_with_tls(
        self,
        base_url: impl Into<String>,
        limits: TransportLimits,
        tls: &TlsSettings,
    ) -> ClientBuilder<Client> {
        let builder = Client::builder(base_url);
        match self {
            Self::Hyper => builder.transport(HyperTransport::with_tls(limits, tls).expect("hyper can be set up")),
            Self::Reqwest => {
                let transport = ReqwestTransport::with_tls(limits, tls, |settings| settings);
                builder.transport(transport.expect("reqwest can be set up"))
            }
        }
    }
}

/// Declares a test of each function for every transport.
#[macro_export]
macro_rules! over_each_transport {
    ($($test:ident),+ $(,)?) => {
        $crate::over_each_transport!(@ over_hyper Hyper: $($test),+);
        $crate::over_each_transport!(@ over_reqwest Reqwest: $($test),+);
    };
    (@ $module:ident $over:ident: $($test:ident),+) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::transports::Over::$over).await;
                }
            )+
        }
    };
}
