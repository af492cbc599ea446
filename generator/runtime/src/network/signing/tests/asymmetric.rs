//! Signatures by private keys.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::Method;
use ring::signature::{ECDSA_P256_SHA256_FIXED, RSA_PSS_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;

use super::*;
use crate::network::signing::PrivateKey;

static TOKEN: Api = Api {
    credentials: Some(Authentication {
        carried: &[Carried { place: Place::Header("authorization"), parts: &[Part::Text("Bearer "), Part::Signature] }],
        signature: Some(Signature {
            content: Content::Token(Token {
                header: &[("kid", &[Part::Key])],
                claims: &[
                    ("iss", &[Part::Text("someone")]),
                    ("uri", &[Part::Method, Part::Text(" "), Part::Host, Part::Path]),
                ],
                lasts: Some(120),
            }),
            algorithms: &[(Algorithm::EcdsaSha256, Encoding::Base64), (Algorithm::Ed25519, Encoding::Base64)],
            secret: SecretForm::Text,
        }),
        ..USUAL
    }),
    ..NO_API
};

const TARGET: &str = "/api?symbol=BTCUSDT&side=SELL";

fn signature(pem: &str) -> Result<String, Box<dyn std::error::Error>> {
    let request = request(Method::POST, TARGET, "")?;
    let proven = prove(&QUERY, &Credentials::new("k", pem, ""), request, 1_668_481_559_918)?;
    let query = proven.uri().query().unwrap_or_default().to_owned();
    let signature = query.split_once("&signature=").ok_or("no signature")?.1.to_owned();
    Ok(signature.replace("%2B", "+").replace("%2F", "/").replace("%3D", "="))
}

#[test]
fn an_ed25519_key_signs_like_openssl() -> Tested {
    let expected = "TBvoiaUtrGO370yVMpHNd2eWam+kzar5wBfQiW2ZhCsJdsLV+02wf/TnrwYgrvqI0XD8JQR5lHwUihOekIvmBA==";
    assert_eq!(signature(include_str!("../test_keys/ed.pem"))?, expected);
    Ok(())
}

/// In PKCS #8 and in PKCS #1, and as a variable of the environment has it.
static PSS: Api = Api {
    credentials: Some(Authentication {
        carried: &[Carried { place: Place::Header("x-sign"), parts: &[Part::Signature] }],
        signature: Some(Signature {
            content: Content::Text(&[Part::BareQuery]),
            algorithms: &[(Algorithm::RsaPssSha256, Encoding::Base64)],
            secret: SecretForm::Text,
        }),
        ..USUAL
    }),
    ..NO_API
};

#[test]
fn an_rsa_key_signs_with_the_padding_of_the_api() -> Tested {
    let pem = include_str!("../test_keys/rsa.pem");
    let proven = prove(&PSS, &Credentials::new("k", pem, ""), request(Method::GET, "/a?b=1", "")?, 5)?;
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| "no key")?;
    let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| "no key")?;
    let public = UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA256, key.public());
    let signature = STANDARD.decode(header(&proven, "x-sign")).map_err(|_| "no Base64")?;
    assert!(public.verify(b"b=1", &signature).is_ok() && public.verify(b"b=2", &signature).is_err());
    let given = Credentials::with_signer("k", "", PrivateKey::from_pem(pem)?);
    assert!(Authenticator::new(&PSS, &given).is_err());
    let given = Credentials::with_signer("k", "", PrivateKey::from_pem(pem)?.with_pss());
    assert!(Authenticator::new(&PSS, &given).is_ok());
    Ok(())
}

#[test]
fn an_rsa_key_signs_like_openssl() -> Tested {
    let expected = "KngJMHOQkMZST4kW0g1Hzme0jq1SVHVIHpESyiW8Ikg2htVyCPPOpQ/FzL6tRWOwgFXPBgoPkRFEgBhzSBHxhhYKxh0XuInZ\
        htp8lqEbgNxmzOCjLWju6UmiRaFGqaZRHhaDeToW4jdS4P5VOxFKldE2DgVN6QcUPc0musEUugPCI+k8e1Q9pITp99j95rjrCE+pWFAFW/uS+\
        nMwQY8GSDhLhQfIR1Yj46WQpIPjpIp+nWVLo96OJOIqZUrbGDCKlNE92LobUR836uwQPqd2jZunjwAlvLi0kd6PjVlhXf4wgSmeff9g+fuV1y\
        SzPVOhMedxWpOqW8eNpxDMnK+uLA==";
    assert_eq!(signature(include_str!("../test_keys/rsa.pem"))?, expected);
    assert_eq!(signature(include_str!("../test_keys/rsa1.pem"))?, expected);
    assert_eq!(signature(&include_str!("../test_keys/rsa.pem").replace('\n', "\\n"))?, expected);
    Ok(())
}

#[test]
fn a_key_that_the_exchange_does_not_accept_is_refused() {
    let refused = Authenticator::new(&QUERY, &Credentials::new("k", include_str!("../test_keys/ec8.pem"), ""));
    let why = "the exchange does not accept signatures of this kind of key";
    assert_eq!(refused.err(), Some(BuildError::Credentials { why }));
}

#[test]
fn a_private_key_is_not_shown() -> Tested {
    let key = PrivateKey::from_pem(include_str!("../test_keys/ed.pem"))?;
    assert_eq!(format!("{key:?}"), "PrivateKey(not shown)");
    Ok(())
}

/// A token with the key in SEC 1 and in PKCS #8.
#[test]
fn a_token_names_the_request_and_verifies() -> Tested {
    let public = STANDARD
        .decode("BLoho7X2Y9lshiXpfT2YIDN7QPC/SWwOLbGg4+XOp9tGKdR1SOIYn2SxhBM1a1ixks90M1Z5xelFmnO9BWyVBoA=")
        .unwrap_or_default();
    for pem in [include_str!("../test_keys/ec1.pem"), include_str!("../test_keys/ec8.pem")] {
        let request = request(Method::GET, "/v1/orders?limit=5", "")?;
        let proven = prove(&TOKEN, &Credentials::new("orgs/a/keys/b", pem, ""), request, 1_700_000_000_500)?;
        let token = header(&proven, "authorization").strip_prefix("Bearer ").ok_or("no token")?;
        let (signed, signature) = token.rsplit_once('.').ok_or("no signature")?;
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &public)
            .verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap_or_default())
            .map_err(|_| "the signature is wrong")?;
        let texts = signed.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).unwrap_or_default());
        let texts: Vec<_> = texts.map(|text| String::from_utf8_lossy(&text).into_owned()).collect();
        assert_eq!(texts[0], r#"{"alg":"ES256","typ":"JWT","kid":"orgs/a/keys/b"}"#);
        assert_eq!(
            texts[1],
            r#"{"iss":"someone","uri":"GET api.example.com/v1/orders","nbf":1700000000,"exp":1700000120}"#
        );
    }
    Ok(())
}
