//! Signatures of requests, compared with what exchanges document and with what OpenSSL makes.

use base64::Engine;
use bytes::Bytes;
use http::{Method, Request};

use super::{Authenticator, Credentials, Stamp};
use crate::data::error::BuildError;
use crate::data::operation::Call;
use crate::data::tables::{
    Algorithm, Api, Authentication, Calls, Carried, Content, DigestForm, Either, Encoding, Hash, NonceForm, Pairs,
    Part, Place, SecretForm, Signature, SignedQuery, TimestampForm, Token,
};
use crate::data::value::Timestamp;

#[cfg(feature = "asymmetric")]
mod asymmetric;

type Tested = Result<(), Box<dyn std::error::Error>>;

const NO_API: Api = Api::named("signed");

/// Most exchanges write times and nonces so, and need no window.
const USUAL: Authentication = Authentication {
    carried: &[],
    signature: None,
    signed_query: SignedQuery::Sent,
    timestamp: TimestampForm::Milliseconds,
    nonce: NonceForm::Number,
    sends_body: true,
    window_ms: None,
    window_set_by: None,
};

const KEY: Carried = Carried { place: Place::Header("x-key"), parts: &[Part::Key] };

/// The query is signed, without its question mark, and the signature ends it.
static QUERY: Api = Api {
    credentials: Some(Authentication {
        carried: &[
            KEY,
            Carried { place: Place::Query("timestamp"), parts: &[Part::Timestamp] },
            Carried { place: Place::Query("signature"), parts: &[Part::Signature] },
        ],
        signature: Some(Signature {
            content: Content::Text(&[Part::BareQuery, Part::Body]),
            algorithms: &[
                (Algorithm::HmacSha256, Encoding::Hex),
                (Algorithm::RsaSha256, Encoding::Base64),
                (Algorithm::Ed25519, Encoding::Base64),
            ],
            secret: SecretForm::Text,
        }),
        ..USUAL
    }),
    ..NO_API
};

/// The path and a digest of nonce and body are signed, with a secret in Base64.
static DIGEST: Api = Api {
    credentials: Some(Authentication {
        carried: &[
            KEY,
            Carried { place: Place::Parameter("nonce"), parts: &[Part::Nonce] },
            Carried { place: Place::Header("x-sign"), parts: &[Part::Signature] },
        ],
        signature: Some(Signature {
            content: Content::Text(&[
                Part::Path,
                Part::Digest(Hash::Sha256, DigestForm::Bytes, &[Part::Nonce, Part::Body]),
            ]),
            algorithms: &[(Algorithm::HmacSha512, Encoding::Base64)],
            secret: SecretForm::Base64,
        }),
        ..USUAL
    }),
    ..NO_API
};

fn request(method: Method, target: &str, body: &'static str) -> Result<Request<Bytes>, http::Error> {
    let uri = format!("https://api.example.com{target}");
    Request::builder().method(method).uri(uri).body(Bytes::from_static(body.as_bytes()))
}

fn prove(
    api: &'static Api,
    credentials: &Credentials,
    mut request: Request<Bytes>,
    at: u64,
) -> Result<Request<Bytes>, Box<dyn std::error::Error>> {
    let authenticator = Authenticator::new(api, credentials)?.ok_or("no credentials")?;
    let stamp = authenticator.stamp(Timestamp::from_millis(at));
    authenticator.prove(&mut request, &stamp).map_err(|_| "not valid")?;
    Ok(request)
}

fn header<'a>(request: &'a Request<Bytes>, name: &str) -> &'a str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// An order of the documentation of a spot exchange, with the documented signature.
#[test]
fn a_signature_ends_the_query() -> Tested {
    let credentials = Credentials::new(
        "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A",
        "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j",
        "",
    );
    let order = "/api/v3/order?symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000";
    let proven = prove(&QUERY, &credentials, request(Method::POST, order, "")?, 1_499_827_319_559)?;
    let expected = "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71";
    let target = format!("{order}&timestamp=1499827319559&signature={expected}");
    assert_eq!(proven.uri().path_and_query().map(|target| target.as_str()), Some(target.as_str()));
    assert_eq!(header(&proven, "x-key"), "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A");
    Ok(())
}

/// The same where there is no query yet.
#[test]
fn a_signature_can_be_all_of_the_query() -> Tested {
    let proven = prove(&QUERY, &Credentials::new("k", "s", ""), request(Method::GET, "/a", "")?, 5)?;
    let query = proven.uri().query().unwrap_or_default();
    assert!(query.starts_with("timestamp=5&signature=") && query.len() == 22 + 64, "{query}");
    Ok(())
}

/// An order of the documentation of another exchange, with the documented signature.
#[test]
fn a_digest_is_a_part_of_the_signed_text() -> Tested {
    let secret = "kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==";
    let body = "nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25";
    let request = request(Method::POST, "/0/private/AddOrder", body)?;
    let proven = prove(&DIGEST, &Credentials::new("k", secret, ""), request, 1_616_492_376_594)?;
    assert_eq!(
        header(&proven, "x-sign"),
        "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ=="
    );
    Ok(())
}

#[test]
fn nonces_grow_even_if_the_clock_does_not() -> Tested {
    let authenticator = Authenticator::new(&DIGEST, &Credentials::new("k", "c2VjcmV0", ""))?.ok_or("none")?;
    let other = authenticator.clone();
    let at = |authenticator: &Authenticator, at| authenticator.stamp(Timestamp::from_millis(at)).nonce.to_string();
    assert_eq!([at(&authenticator, 1000), at(&other, 1000), at(&authenticator, 400)], ["1000", "1001", "1002"]);
    assert_eq!(at(&other, 2000), "2000");
    Ok(())
}

#[test]
fn timestamps_have_the_form_of_the_api() {
    let at = Timestamp::from_millis(1_607_418_537_715);
    let written = |form| super::authenticator::written(at, form).to_string();
    assert_eq!(written(TimestampForm::Seconds), "1607418537");
    assert_eq!(written(TimestampForm::Milliseconds), "1607418537715");
    assert_eq!(written(TimestampForm::Microseconds), "1607418537715000");
    assert_eq!(written(TimestampForm::Nanoseconds), "1607418537715000000");
    assert_eq!(written(TimestampForm::Iso8601), "2020-12-08T09:08:57.715Z");
    let last = |form| super::authenticator::written(Timestamp::from_millis(u64::MAX), form).to_string();
    assert_eq!(last(TimestampForm::Nanoseconds), format!("{}000000", u64::MAX));
    assert_eq!(last(TimestampForm::Iso8601), Timestamp::from_millis(u64::MAX).to_string());
}

#[test]
fn a_secret_that_is_not_base64_is_refused() {
    let refused = Authenticator::new(&DIGEST, &Credentials::new("k", "no base64!", ""));
    assert_eq!(refused.err(), Some(BuildError::Credentials { why: "the secret is not valid Base64" }));
}

#[test]
fn a_bearer_token_needs_no_signature_and_is_not_shown() -> Tested {
    static BEARER: Api = Api {
        credentials: Some(Authentication {
            carried: &[Carried { place: Place::Header("authorization"), parts: &[Part::Text("Bearer "), Part::Key] }],
            ..USUAL
        }),
        ..NO_API
    };
    let proven = prove(&BEARER, &Credentials::of_key("canary"), request(Method::GET, "/a", "")?, 5)?;
    assert_eq!(header(&proven, "authorization"), "Bearer canary");
    assert!(!format!("{proven:?}").contains("canary"));
    Ok(())
}

#[test]
fn a_token_can_have_a_shared_secret() -> Tested {
    static SHARED: Api = Api {
        credentials: Some(Authentication {
            carried: &[Carried { place: Place::Header("authorization"), parts: &[Part::Signature] }],
            signature: Some(Signature {
                content: Content::Token(Token {
                    header: &[],
                    claims: &[("sub", &[Part::Text("1234567890")]), ("name", &[Part::Text("John Doe")])],
                    lasts: None,
                }),
                algorithms: &[(Algorithm::HmacSha256, Encoding::Base64)],
                secret: SecretForm::Text,
            }),
            ..USUAL
        }),
        ..NO_API
    };
    let proven = prove(&SHARED, &Credentials::new("k", "your-256-bit-secret", ""), request(Method::GET, "/", "")?, 5)?;
    // Signed by OpenSSL.
    let expected = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.Gfx6VO9tcxwk6xqx9yYzSfebfeakZp5JYIgP_edcw_A";
    assert_eq!(header(&proven, "authorization"), expected);
    Ok(())
}

/// The digest of the query, in capitals, is signed with HMAC-MD5.
#[cfg(feature = "md5")]
static CAPITALS: Api = Api {
    credentials: Some(Authentication {
        carried: &[Carried { place: Place::Header("x-sign"), parts: &[Part::Signature] }],
        signature: Some(Signature {
            content: Content::Text(&[Part::Digest(
                crate::data::tables::MD5,
                DigestForm::Encoded(Encoding::HexCapitals),
                &[Part::BareQuery],
            )]),
            algorithms: &[(Algorithm::HmacMd5, Encoding::HexCapitals)],
            secret: SecretForm::Text,
        }),
        ..USUAL
    }),
    ..NO_API
};

#[cfg(not(feature = "md5"))]
#[test]
fn hmac_md5_without_the_feature_is_refused() {
    static OF_MD5: Api = Api {
        credentials: Some(Authentication {
            signature: Some(Signature {
                content: Content::Text(&[]),
                algorithms: &[(Algorithm::HmacMd5, Encoding::Hex)],
                secret: SecretForm::Text,
            }),
            ..USUAL
        }),
        ..NO_API
    };
    let refused = Authenticator::new(&OF_MD5, &Credentials::new("k", "secret", ""));
    let error = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("`md5`"), "{error}");
}

#[cfg(feature = "md5")]
#[test]
fn md5_and_capital_digits_are_those_of_openssl() -> Tested {
    let proven = prove(&CAPITALS, &Credentials::new("k", "secret", ""), request(Method::GET, "/a?b=1&c=2", "")?, 5)?;
    assert_eq!(header(&proven, "x-sign"), "C613E8B2AC9EC35630A264C7EFCF8BA4");
    Ok(())
}

#[cfg(not(feature = "asymmetric"))]
#[test]
fn a_private_key_without_the_feature_is_refused() {
    let refused = Authenticator::new(&QUERY, &Credentials::new("k", include_str!("test_keys/ed.pem"), ""));
    let error = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("`asymmetric`"), "{error}");
}

/// Signatures, digests and Base64 of parts, where exchanges carry them besides the signature.
#[test]
fn a_passphrase_can_be_signed_and_a_version_can_be_fixed() -> Tested {
    static SIGNED: Api = Api {
        credentials: Some(Authentication {
            carried: &[
                KEY,
                Carried { place: Place::Header("x-time"), parts: &[Part::Timestamp] },
                Carried { place: Place::Header("x-sign"), parts: &[Part::Signature] },
                Carried { place: Place::Header("x-phrase"), parts: &[Part::Signed(&[Part::Passphrase])] },
                Carried { place: Place::Header("x-version"), parts: &[Part::Text("2")] },
            ],
            signature: Some(Signature {
                content: Content::Text(&[Part::Timestamp, Part::Method, Part::Path, Part::Query, Part::Body]),
                algorithms: &[(Algorithm::HmacSha256, Encoding::Base64)],
                secret: SecretForm::Text,
            }),
            ..USUAL
        }),
        ..NO_API
    };
    let request = request(Method::POST, "/api/v1/orders", r#"{"symbol":"XBTUSDTM"}"#)?;
    let proven = prove(&SIGNED, &Credentials::new("k", "secret", "phrase"), request, 1_700_000_000_000)?;
    // By `printf %s phrase | openssl dgst -sha256 -hmac secret -binary | base64`, and of the text in the same way.
    assert_eq!(header(&proven, "x-phrase"), "+n/mrTSNU7CrscsmDK22syRThdivpLcovw6amkVEEug=");
    assert_eq!(header(&proven, "x-sign"), "OrumT+scG9NaTmqSj3gZrYO1WP7lORk9NlleVJT63X0=");
    assert_eq!(header(&proven, "x-version"), "2");
    assert!(!format!("{proven:?}").contains("+n/mrTSNU7CrscsmDK22syRThdivpLcovw6amkVEEug="));
    Ok(())
}

/// Pairs of the query are signed in the order of their names, between the host and the path in lines.
#[test]
fn a_query_can_be_signed_in_the_order_of_its_names() -> Tested {
    static SORTED: Api = Api {
        credentials: Some(Authentication {
            carried: &[
                Carried { place: Place::Query("AccessKeyId"), parts: &[Part::Key] },
                Carried { place: Place::Query("Timestamp"), parts: &[Part::Timestamp] },
                Carried { place: Place::Query("Signature"), parts: &[Part::Signature] },
                Carried { place: Place::Query("SignatureMethod"), parts: &[Part::Text("HmacSHA256")] },
                Carried { place: Place::Query("SignatureVersion"), parts: &[Part::Text("2")] },
            ],
            signature: Some(Signature {
                content: Content::Text(&[
                    Part::Method,
                    Part::Text("\n"),
                    Part::Host,
                    Part::Text("\n"),
                    Part::Path,
                    Part::Text("\n"),
                    Part::SortedQuery,
                ]),
                algorithms: &[(Algorithm::HmacSha256, Encoding::Base64)],
                secret: SecretForm::Text,
            }),
            signed_query: SignedQuery::Escaped,
            timestamp: TimestampForm::Iso8601Seconds,
            ..USUAL
        }),
        ..NO_API
    };
    let request = request(Method::GET, "/v1/order/orders?order-id=1234567890&a-b=1&a=2", "")?;
    let proven = prove(&SORTED, &Credentials::new("key", "secret", ""), request, 1_494_487_170_500)?;
    let query = proven.uri().query().unwrap_or_default();
    // By OpenSSL, of the lines with AccessKeyId, SignatureMethod, SignatureVersion, Timestamp, a, a-b, order-id.
    let expected = "order-id=1234567890&a-b=1&a=2&AccessKeyId=key&Timestamp=2017-05-11T07%3A19%3A30\
                    &SignatureMethod=HmacSHA256&SignatureVersion=2&Signature=TOHs5fJOOvytdQCywrcxrShGk0JnkJhd9CEpjuJUOpU%3D";
    assert_eq!(query, expected);
    Ok(())
}

/// An authorization can be in Base64, and a nonce can be a UUID, which is another one each time.
#[test]
fn an_authorization_in_base64_and_a_uuid_are_carried() -> Tested {
    static BASIC: Api = Api {
        credentials: Some(Authentication {
            carried: &[
                Carried {
                    place: Place::Header("authorization"),
                    parts: &[Part::Text("Basic "), Part::Base64(&[Part::Key, Part::Text(":"), Part::Passphrase])],
                },
                Carried { place: Place::Header("x-nonce"), parts: &[Part::Nonce] },
            ],
            nonce: NonceForm::Uuid,
            ..USUAL
        }),
        ..NO_API
    };
    let authenticator = Authenticator::new(&BASIC, &Credentials::new("Aladdin", "", "open sesame"))?.ok_or("none")?;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let mut proven = request(Method::GET, "/a", "")?;
        let stamp = authenticator.stamp(Timestamp::from_millis(5));
        authenticator.prove(&mut proven, &stamp).map_err(|_| "not valid")?;
        // The example of RFC 7617.
        assert_eq!(header(&proven, "authorization"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(!format!("{proven:?}").contains("QWxhZGRpbjpvcGVu"));
        nonces.push(header(&proven, "x-nonce").to_owned());
    }
    assert!(nonces[0] != nonces[1] && nonces.iter().all(|nonce| nonce.len() == 36), "{nonces:?}");
    Ok(())
}

/// Names and values of parameters in their order, however they travel, and the call and its number.
#[test]
fn parameters_are_signed_as_pairs() -> Tested {
    static CALLED: Api = Api {
        credentials: Some(Authentication {
            carried: &[
                Carried { place: Place::After("api_key"), parts: &[Part::Key] },
                Carried { place: Place::After("nonce"), parts: &[Part::Timestamp] },
                Carried { place: Place::After("sig"), parts: &[Part::Signature] },
            ],
            signature: Some(Signature {
                content: Content::Text(&[
                    Part::Call,
                    Part::CallId,
                    Part::Key,
                    Part::Pairs(Pairs { sorted: true, equals: "", between: "" }),
                    Part::Timestamp,
                ]),
                algorithms: &[(Algorithm::HmacSha256, Encoding::Hex)],
                secret: SecretForm::Text,
            }),
            ..USUAL
        }),
        calls: Calls { fixed: &[], ..Calls::JSON_RPC },
        ..NO_API
    };
    let authenticator = Authenticator::new(&CALLED, &Credentials::new("key", "secret", ""))?.ok_or("none")?;
    let call = Some(Call { calls: CALLED.calls, name: "private/order", number: 11 });
    let stamp = Stamp { call, ..authenticator.stamp(Timestamp::from_millis(1_587_846_358_253)) };
    let own = r#"{"side":"BUY","qty":1,"legs":[{"b":"2","a":"x"}],"flags":["POST","IOC"]}"#;
    let body = call.ok_or("none")?.around(own.to_owned());
    let mut proven = Request::post("https://api.example.com/").body(Bytes::from(body))?;
    authenticator.prove(&mut proven, &stamp).map_err(|_| "not valid")?;
    // By OpenSSL, of "private/order11keyflagsPOSTIOClegsaxb2qty1sideBUY1587846358253".
    let expected = format!(
        r#"{{"id":11,"method":"private/order","params":{own},"api_key":"key","nonce":1587846358253,"sig":"21e852d8efc76e7685ad762df68ca11dd8db0c96229b4a41f88f10e2141d4d6b"}}"#
    );
    assert_eq!(proven.body(), expected.as_str());
    Ok(())
}

/// Parts that depend on the request: here on its parameters, in a query, a form or a JSON body.
#[test]
fn parts_depend_on_the_request() -> Tested {
    const PAIRS: &[Part] = &[Part::Pairs(Pairs { sorted: false, equals: "=", between: "&" })];
    static HASHED: Api = Api {
        credentials: Some(Authentication {
            carried: &[Carried { place: Place::Header("authorization"), parts: &[Part::Signature] }],
            signature: Some(Signature {
                content: Content::Token(Token {
                    header: &[],
                    claims: &[
                        ("access_key", &[Part::Key]),
                        (
                            "query",
                            &[Part::When(&Either { when: PAIRS, then: &[Part::Text("?"), PAIRS[0]], otherwise: &[] })],
                        ),
                    ],
                    lasts: None,
                }),
                algorithms: &[(Algorithm::HmacSha512, Encoding::Base64)],
                secret: SecretForm::Text,
            }),
            ..USUAL
        }),
        ..NO_API
    };
    let cases = [
        (Method::GET, "/a?b%5B%5D=1&a=%20x", "", r#"{"access_key":"key","query":"?b[]=1&a= x"}"#),
        (Method::POST, "/a", r#"{"b":1,"a":"\u00e4","c":true}"#, r#"{"access_key":"key","query":"?b=1&a=ä&c=true"}"#),
        (Method::POST, "/a", "b=1&a=%C3%A4", r#"{"access_key":"key","query":"?b=1&a=ä"}"#),
        (Method::GET, "/a", "", r#"{"access_key":"key"}"#),
        (Method::POST, "/a", "{}", r#"{"access_key":"key"}"#),
    ];
    for (method, target, body, expected) in cases {
        let proven = prove(&HASHED, &Credentials::new("key", "secret", ""), request(method, target, body)?, 5)?;
        let claims = header(&proven, "authorization").split('.').nth(1).unwrap_or_default();
        let claims = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(claims).map_err(|_| "no Base64")?;
        assert_eq!(String::from_utf8(claims)?, expected);
    }
    Ok(())
}

/// Pairs that follow the parameters do so in the query, the form or the body.
#[test]
fn credentials_follow_the_parameters_where_these_are() -> Tested {
    static AFTER: Api = Api {
        credentials: Some(Authentication {
            carried: &[
                Carried { place: Place::After("key"), parts: &[Part::Key] },
                Carried { place: Place::After("sign"), parts: &[Part::Signature] },
            ],
            signature: Some(Signature {
                content: Content::Text(&[Part::BareQuery, Part::Body]),
                algorithms: &[(Algorithm::HmacSha256, Encoding::Base64Url)],
                secret: SecretForm::Base64Url,
            }),
            ..USUAL
        }),
        ..NO_API
    };
    let authenticator = Authenticator::new(&AFTER, &Credentials::new("k", "-_8=", ""))?.ok_or("none")?;
    // The signatures are by OpenSSL.
    for (method, target, is_form, body, target_after, body_after) in [
        (Method::GET, "/a?b=1", false, "", "/a?b=1&key=k&sign=QbaGHZ5UZ6Hg-pRI1svDtZ7MiuDXymY0nawlm-A6ULY%3D", ""),
        (Method::POST, "/a", true, "b=1", "/a", "b=1&key=k&sign=QbaGHZ5UZ6Hg-pRI1svDtZ7MiuDXymY0nawlm-A6ULY%3D"),
        (Method::POST, "/a", true, "", "/a", "key=k&sign=DYxvt7hfw-f-Il6Ev5LqtFCP6PlHLkAM5VHLMjp-QdY%3D"),
        (Method::POST, "/a", false, "{}", "/a", r#"{"key":"k","sign":"TiFPqqjlKLA05ukzVGL6i7xnlZc3u2cSpRMfZCKr8c8="}"#),
    ] {
        let mut proven = request(method, target, body)?;
        let stamp = Stamp { is_form, ..authenticator.stamp(Timestamp::from_millis(5)) };
        authenticator.prove(&mut proven, &stamp).map_err(|_| "not valid")?;
        let found = proven.uri().path_and_query().map(|target| target.as_str());
        assert_eq!((found, &**proven.body()), (Some(target_after), body_after.as_bytes()));
        assert!(!is_form || header(&proven, "content-type") == "application/x-www-form-urlencoded");
    }
    Ok(())
}
