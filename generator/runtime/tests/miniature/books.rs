//! A public operation with a parameter in its path, of an API whose answers have no envelope.

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::emitted::PathWriter;
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{Access, Api, Meta};
use tradeapi_runtime::{Operation, Reply, name};

use crate::api::Symbol;

pub(crate) static BARE_API: Api = Api::named("books");

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Book {
    pub(crate) symbol: Symbol,
    pub(crate) depth: Option<u64>,
}

impl Parameters for Book {
    fn write(&self, out: &mut ParameterWriter) {
        out.optional_number(name!("depth"), self.depth.as_ref());
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        let symbol = from.required("symbol");
        let depth = from.optional("depth");
        Some(Self { symbol: symbol?, depth })
    }

    fn check(&self, to: &mut Checks<'_>) {
        to.identifier("symbol", Some(&self.symbol));
    }
}

impl Operation for Book {
    type Response = Vec<String>;

    const META: &'static Meta = &Meta {
        id: "books.book",
        family: "books",
        title: "Book",
        document: "books-v1",
        section: "Book",
        path: "/v1/books/{symbol}/levels",
        access: Access::Public,
        ..Meta::DEFAULT
    };

    fn write_path(&self, out: &mut PathWriter) {
        out.literal("/v1/books/");
        out.segment("symbol", &self.symbol);
        out.literal("/levels");
    }
}

impl Callable for Book {
    type Reply = Reply<Vec<String>>;
}
