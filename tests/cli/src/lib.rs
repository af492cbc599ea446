//! Programs of other APIs, whose tables are emitted by a build script.

/// The API of a library, which trades nothing.
pub mod library {
    include!(concat!(env!("OUT_DIR"), "/library/api.rs"));

    /// The program of the client.
    pub mod cli {
        include!(concat!(env!("OUT_DIR"), "/library/cli.rs"));
    }
}

/// An API with hostile names and texts.
pub mod obstacles {
    include!(concat!(env!("OUT_DIR"), "/obstacles/api.rs"));

    /// The program of the client.
    pub mod cli {
        include!(concat!(env!("OUT_DIR"), "/obstacles/cli.rs"));
    }
}

/// An exchange whose requests travel in queries and paths.
pub mod kraken {
    include!(concat!(env!("OUT_DIR"), "/kraken/api.rs"));

    /// The program of the client.
    pub mod cli {
        include!(concat!(env!("OUT_DIR"), "/kraken/cli.rs"));
    }
}
