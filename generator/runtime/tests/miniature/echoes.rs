//! An answer is the answer to a request when it repeats its ids; a refused request that does several things may have
//! done one of them.

use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{CallResult, Compound, Echo, Echoes, Effect, Meta, Outcome, Shows};
use tradeapi_runtime::{Error, Operation, Reply, name};

use crate::Tested;
use crate::api::{ClientOid, OrderId};
use crate::confirmations::{Line, answers, code};
use crate::orders::{PlaceOrder, Placed};

const IDS: &[Echo] = &[Echo { member: "orderId", of: &["orderId"] }, Echo { member: "clientOid", of: &["clientOid"] }];
const ECHOES: Echoes = Echoes { ids: IDS, also: &[], by_one: &[], one_is_enough: false };

const META: Meta = Meta {
    id: "mini.cancel",
    path: "/v1/orders/cancel",
    effect: Effect::Cancel,
    client_id: None,
    confirm: None,
    echoes: Some(ECHOES),
    shows: Shows::OneOf(&["orderId", "clientOid"]),
    ..*<PlaceOrder as Operation>::META
};

/// The parameters that name an order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Named {
    order_id: Option<OrderId>,
    client_oid: Option<ClientOid>,
    new_client_oid: Option<ClientOid>,
    mode: Option<bool>,
}

impl Named {
    fn of(order_id: &str, client_oid: &str) -> Self {
        let client_oid = ClientOid::new(client_oid).ok();
        Self { order_id: Some(order_id.into()).filter(|_| !order_id.is_empty()), client_oid, ..Self::default() }
    }
}

impl Parameters for Named {
    fn write(&self, out: &mut ParameterWriter) {
        out.optional_text(name!("orderId"), self.order_id.as_ref());
        out.optional_text(name!("clientOid"), self.client_oid.as_ref());
        out.optional_text(name!("newClientOid"), self.new_client_oid.as_ref());
        out.optional_boolean(name!("mode"), self.mode);
    }

    fn read(_: &mut ParameterReader<'_>) -> Option<Self> {
        None
    }

    fn check(&self, _: &mut Checks<'_>) {}
}

macro_rules! operations {
    ($($name:ident, $meta:expr;)*) => {$(
        struct $name(Named);

        impl Parameters for $name {
            fn write(&self, out: &mut ParameterWriter) {
                self.0.write(out);
            }

            fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
                Named::read(from).map(Self)
            }

            fn check(&self, to: &mut Checks<'_>) {
                self.0.check(to);
            }
        }

        impl Operation for $name {
            type Response = Placed;
            const META: &'static Meta = &$meta;
        }

        impl Callable for $name {
            type Reply = Reply<Placed>;
        }
    )*};
}

operations! {
    Cancel, META;
    Rename, Meta {
        effect: Effect::Amend,
        echoes: Some(Echoes {
            ids: &[IDS[0], Echo { member: "clientOid", of: &["clientOid", "newClientOid"] }],
            one_is_enough: true,
            ..ECHOES
        }),
        ..META
    };
    Replace, Meta {
        effect: Effect::Amend,
        echoes: Some(Echoes { ids: &[IDS[0], Echo { member: "clientOid", of: &["clientOid", "newClientOid"] }], ..ECHOES }),
        ..META
    };
    Resize, Meta {
        effect: Effect::Amend,
        echoes: Some(Echoes {
            ids: &[IDS[0]],
            by_one: &[&[Echo { member: "long", of: &["clientOid"] }, Echo { member: "short", of: &["clientOid"] }]],
            ..ECHOES
        }),
        ..META
    };
    Reverse, Meta { effect: Effect::Close, compound: Some(Compound { when: None, why: "closes, then opens" }), ..META };
    Amend, Meta {
        effect: Effect::Amend,
        compound: Some(Compound { when: Some(("mode", "true")), why: "amends, or cancels" }),
        ..META
    };
}

/// Returns whether the outcome of an operation is `Done`.
async fn is_done<O: Callable>(operation: O, data: &str) -> Result<bool, Box<dyn std::error::Error>> {
    match Line::new([answers(data)]).client()?.call(&operation).await {
        Ok(_) => Ok(true),
        Err(error) => {
            assert_eq!(error.call_result(), CallResult::Unreadable, "{data}: {error}");
            Ok(false)
        }
    }
}

#[tokio::test]
async fn every_id_that_the_answer_has_is_that_of_the_request() -> Tested {
    for (request, data, expected) in [
        (("111", ""), r#"{"orderId":"111","clientOid":"any"}"#, true),
        (("111", ""), r#"{"orderId":111}"#, true),
        (("111", ""), r#"{"orderId":"222","clientOid":"any"}"#, false),
        (("111", ""), r#"{"orderId":"1111"}"#, false),
        (("111", ""), r#"{"orderId":"11"}"#, false),
        (("111", ""), r#"{"clientOid":"any"}"#, false),
        (("111", ""), r#"{"orderId":""}"#, false),
        (("111", ""), r#"{"orderId":null}"#, false),
        (("111", ""), "{}", false),
        (("111", ""), "null", false),
        (("111", ""), r#"{"list":[]}"#, false),
        (("", "a"), r#"{"orderId":"9","clientOid":"a"}"#, true),
        (("", "a"), r#"{"orderId":null,"clientOid":"a"}"#, true),
        (("", "a"), r#"{"orderId":"9"}"#, false),
        (("", "a"), r#"{"orderId":"9","clientOid":null}"#, false),
        (("", "a"), r#"{"orderId":"9","clientOid":""}"#, false),
        (("", "a"), r#"{"orderId":"","clientOid":""}"#, false),
        (("", "a"), r#"{"orderId":"9","clientOid":"b"}"#, false),
        (("", "a"), r#"{"orderId":null,"clientOid":null}"#, false),
        (("", "a"), "[]", false),
        (("1", "a"), r#"{"orderId":"1","clientOid":"a"}"#, true),
        (("1", "a"), r#"{"orderId":"1"}"#, true),
        (("1", "a"), r#"{"orderId":"","clientOid":"a"}"#, true),
        (("1", "a"), r#"{"orderId":"1","clientOid":"b"}"#, false),
        (("1", "a"), r#"{"orderId":"2","clientOid":"a"}"#, false),
        (("", ""), r#"{"orderId":"9"}"#, true),
        (("", ""), r#"{"orderId":null}"#, true),
        (("", ""), r#"{"list":[]}"#, false),
        (("", ""), "{}", false),
        (("", ""), "null", false),
    ] {
        assert_eq!(is_done(Cancel(Named::of(request.0, request.1)), data).await?, expected, "{request:?} {data}");
    }
    Ok(())
}

/// Which one it is depends on what the request does not say.
#[tokio::test]
async fn one_of_several_members_repeats_a_value() -> Tested {
    for (request, data, expected) in [
        (("1", "a"), r#"{"orderId":"1","long":"a","short":"b"}"#, true),
        (("1", "a"), r#"{"orderId":"1","long":"b","short":"a"}"#, true),
        (("1", "a"), r#"{"orderId":"1","short":"a"}"#, true),
        (("1", "a"), r#"{"orderId":"1","long":"b","short":"c"}"#, false),
        (("1", "a"), r#"{"orderId":"1","short":"c"}"#, false),
        (("2", "a"), r#"{"orderId":"1","long":"a"}"#, false),
        (("1", "a"), r#"{"orderId":"1"}"#, true),
        (("1", ""), r#"{"orderId":"1","long":"b","short":"c"}"#, true),
        (("", "a"), r#"{"orderId":"1","long":"b"}"#, false),
    ] {
        assert_eq!(is_done(Resize(Named::of(request.0, request.1)), data).await?, expected, "{request:?} {data}");
    }
    Ok(())
}

#[tokio::test]
async fn where_the_document_leaves_open_which_id_is_repeated_one_is_enough() -> Tested {
    for (data, expected) in [
        (r#"{"orderId":"1","clientOid":"old"}"#, true),
        (r#"{"orderId":"2","clientOid":"new"}"#, true),
        (r#"{"clientOid":"new"}"#, true),
        (r#"{"orderId":"1"}"#, true),
        (r#"{"orderId":"2","clientOid":"old"}"#, false),
        (r#"{"orderId":"2"}"#, false),
        ("{}", false),
    ] {
        let request = Named { new_client_oid: Some(ClientOid::new("new")?), ..Named::of("1", "") };
        assert_eq!(is_done(Rename(request), data).await?, expected, "{data}");
    }
    Ok(())
}

#[tokio::test]
async fn an_id_can_repeat_either_of_two_parameters() -> Tested {
    for (data, expected) in [
        (r#"{"orderId":"1","clientOid":"old"}"#, true),
        (r#"{"orderId":"1","clientOid":"new"}"#, true),
        (r#"{"clientOid":"old"}"#, true),
        (r#"{"orderId":"1","clientOid":"other"}"#, false),
        (r#"{"orderId":"2","clientOid":"old"}"#, false),
    ] {
        let request = || Named { new_client_oid: ClientOid::new("new").ok(), ..Named::of("1", "old") };
        assert_eq!(is_done(Replace(request()), data).await?, expected, "{data}");
        let one = Named { client_oid: None, ..request() };
        assert_eq!(is_done(Replace(one), data).await?, expected && !data.contains("old"), "{data}");
    }
    Ok(())
}

/// Returns the outcome of an operation that is refused with a code.
async fn refused<O: Callable>(operation: O, with: &str) -> Result<Outcome, Box<dyn std::error::Error>> {
    let result = Line::new([code(with)]).client()?.call(&operation).await;
    Ok(result.err().as_ref().map(Error::outcome).ok_or("it was accepted")?)
}

#[tokio::test]
async fn a_compound_request_is_not_done_only_if_refused_before_its_first_part() -> Tested {
    let plain = || Named::of("1", "");
    let with_mode = |mode| Named { mode: Some(mode), ..plain() };
    let (not_done, unknown) = (Outcome::NotDone, Outcome::Unknown);
    for (with, trading) in [("43012", true), ("40786", true), ("40404", true), ("40012", false), ("40017", false)] {
        let compound = if trading { unknown } else { not_done };
        assert_eq!(refused(Reverse(plain()), with).await?, compound, "{with}");
        assert_eq!(refused(Amend(with_mode(true)), with).await?, compound, "{with}");
        for simple in [plain(), with_mode(false)] {
            assert_eq!(refused(Amend(simple), with).await?, not_done, "{with}");
        }
        assert_eq!(refused(Cancel(plain()), with).await?, not_done, "{with}");
    }
    Ok(())
}
