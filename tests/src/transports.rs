//! The transports that come with the runtime: what holds for one has to hold for each.

use tradeapi::Client;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::transport::{HyperTransport, ReqwestTransport, TlsSettings, TransportLimits};

/// A transport that comes with the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// [`HyperTransport`]
    Hyper,
    /// [`ReqwestTransport`]
    Reqwest,
}

impl Over {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Hyper, Self::Reqwest];

    /// Begins a client that sends over it.
    pub fn client(self, base_url: impl Into<String>, limits: TransportLimits) -> ClientBuilder<Client> {
        self.client_with_tls(base_url, limits, &TlsSettings::new())
    }

    /// The same, with these settings of TLS.
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

/// Makes a test of each of these functions for every transport.
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
