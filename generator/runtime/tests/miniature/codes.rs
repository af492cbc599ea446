//! The proofs of refusals, by the sources of their codes and by the client's code policy.

use tradeapi_runtime::Error;
use tradeapi_runtime::batches::BatchCall;
use tradeapi_runtime::tables::{CallResult, Certainty, CodeProof, CredentialCause, Outcome};
use tradeapi_runtime::wire::CodePolicy;

use crate::Tested;
use crate::confirmations::{Act, Line, code, order};
use crate::orders::{Orders, PlaceBatch};

/// Returns how a placement ends that is refused with `refusal`.
async fn placed(refusal: &str, policy: CodePolicy) -> Result<Error, Box<dyn std::error::Error>> {
    let client = Line::new([code(refusal)]).client()?;
    client.core().with_code_policy(policy).call(&order("a1")?).await.err().ok_or("it was accepted".into())
}

#[tokio::test]
async fn a_code_counts_as_its_sources_do() -> Tested {
    for (refusal, call_result, outcome) in [
        ("40786", CallResult::ListedCode, Outcome::NotDone),
        ("40010", CallResult::ListedCode, Outcome::Unknown),
        ("40404", CallResult::ListedCode, Outcome::Unknown),
        ("43012", CallResult::ObservedCode, Outcome::NotDone),
        ("43118", CallResult::ObservedCode, Outcome::Unknown),
        ("45001", CallResult::ObservedCode, Outcome::Unknown),
        ("40008", CallResult::TimestampRefused, Outcome::NotDone),
        ("40012", CallResult::CredentialsRefused, Outcome::NotDone),
        ("45011", CallResult::UnlistedCode, Outcome::Unknown),
        ("45012", CallResult::UnlistedCode, Outcome::Unknown),
        ("43011", CallResult::UnlistedCode, Outcome::Unknown),
        ("99999", CallResult::UnlistedCode, Outcome::Unknown),
    ] {
        let error = placed(refusal, CodePolicy::new()).await?;
        assert_eq!((error.call_result(), error.outcome()), (call_result, outcome), "{error}");
        assert_eq!(matches!(error, Error::Unknown(_)), outcome == Outcome::Unknown, "{error}");
        assert_eq!((error.code(), error.status().map(|status| status.as_u16())), (Some(refusal), Some(200)));
    }
    Ok(())
}

#[tokio::test]
async fn a_client_follows_its_code_policy() -> Tested {
    let documented = CodePolicy::documented_only;
    for refusal in ["43012", "40012"] {
        let error = placed(refusal, documented()).await?;
        assert_eq!((error.call_result(), error.outcome()), (CallResult::UnlistedCode, Outcome::Unknown), "{error}");
    }
    assert_eq!(placed("40786", documented()).await?.outcome(), Outcome::NotDone);
    for refusal in ["45011", "99999", "40010"] {
        let named = documented().code(refusal, CodeProof::NotDone);
        assert_eq!(placed(refusal, named).await?.outcome(), Outcome::NotDone, "{refusal}");
    }
    let twice = CodePolicy::new().code("43012", CodeProof::NotDone).code("43012", CodeProof::Unknown);
    assert_eq!(placed("43012", twice).await?.outcome(), Outcome::Unknown, "the last word counts");
    // The client itself is as it was.
    let line = Line::new([code("43012")]);
    let client = line.client()?;
    assert!(matches!(client.core().with_code_policy(documented()).call(&order("a1")?).await, Err(Error::Unknown(_))));
    assert!(matches!(client.core().call(&order("a1")?).await, Err(Error::Exchange(_))));
    Ok(())
}

#[tokio::test]
async fn refused_credentials_name_the_likely_cause() -> Tested {
    let error = placed("40012", CodePolicy::new()).await?;
    assert_eq!(error.credential_cause(), Some(CredentialCause::Passphrase));
    assert_eq!(
        error.to_string(),
        "mini.orders failed: code 40012, HTTP status 200 OK, \"said\" (observed: the passphrase is wrong); likely cause: the \
         passphrase; it had no effect",
    );
    assert_eq!(placed("40008", CodePolicy::new()).await?.credential_cause(), Some(CredentialCause::Clock));
    assert_eq!(placed("43012", CodePolicy::new()).await?.credential_cause(), None);
    assert_eq!(placed("40012", CodePolicy::documented_only()).await?.credential_cause(), None);
    Ok(())
}

#[tokio::test]
async fn the_meaning_of_a_code_is_shown_even_if_it_proves_nothing() -> Tested {
    for (refusal, certainty) in [
        ("40010", Some(Certainty::Documented)),
        ("43012", Some(Certainty::Several)),
        ("45011", Some(Certainty::Single)),
        ("45012", Some(Certainty::Conflicting)),
        ("99999", None),
    ] {
        let error = placed(refusal, CodePolicy::new()).await?;
        let known = error.exchange().and_then(|error| error.known);
        assert_eq!(known.map(|known| known.certainty), certainty, "{refusal}");
    }
    Ok(())
}

#[tokio::test]
async fn every_error_answers_for_code_status_and_message() -> Tested {
    let refused = Act::Answers(r#"{"code":"43012","msg":"too little","requestTime":NOW}"#.to_owned());
    let error = Line::new([refused]).client()?.call(&order("a1")?).await.err().ok_or("it was accepted")?;
    assert_eq!((error.code(), error.message()), (Some("43012"), Some("too little")));
    let unreadable = Act::Answers("{".to_owned());
    let error = Line::new([unreadable]).client()?.call(&order("a1")?).await.err().ok_or("it was accepted")?;
    assert_eq!((error.code(), error.message()), (None, None));
    assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
    Ok(())
}

#[tokio::test]
async fn a_read_never_has_an_effect() -> Tested {
    let client = Line::new([code("45001")]).client()?;
    let error = client.call(&Orders::default()).await.err().ok_or("it was accepted")?;
    assert_eq!(error.outcome(), Outcome::NotDone);
    Ok(())
}

#[tokio::test]
async fn an_item_that_is_listed_as_failed_failed_if_its_code_proves_it() -> Tested {
    for (refusal, outcome) in [
        ("43012", Outcome::NotDone),
        ("45011", Outcome::Unknown),
        ("99999", Outcome::Unknown),
        ("40786", Outcome::NotDone),
        ("40010", Outcome::Unknown),
        ("45001", Outcome::Unknown),
        ("43118", Outcome::Unknown),
    ] {
        let answer = format!(r#"{{"code":"00000","data":[{{"clientOid":"a1","code":"{refusal}"}}]}}"#);
        let client = Line::new([Act::Answers(answer)]).client()?;
        let report = BatchCall::new(client.core().clone(), PlaceBatch { orders: vec![order("a1")?] }).send().await?;
        let is_unknown = report.items[0].outcome.is_unknown();
        assert_eq!(is_unknown, outcome == Outcome::Unknown, "{refusal}");
        assert_eq!(report.items[0].outcome.is_not_done(), !is_unknown, "{refusal}");
    }
    Ok(())
}
