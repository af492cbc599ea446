//! The agreement of a person with orders that are worth more than a budget leaves to an assistant.

use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tradeapi_runtime::ClientCore;
use tradeapi_runtime::tables::Meta;

/// Asks a person to agree to the orders of a request, if the budget of `client` says so.
///
/// # Errors
///
/// Fails if the person does not agree, or cannot be asked.
pub(super) async fn with_orders(
    client: &ClientCore,
    meta: &'static Meta,
    request: &str,
    context: &RequestContext<RoleServer>,
) -> Result<(), String> {
    let Some(above) = client.budget().and_then(|budget| budget.asks_above()) else { return Ok(()) };
    // The call itself refuses what the budget does not cover.
    let Ok(Some(worth)) = client.worth_of(meta, request) else { return Ok(()) };
    if worth <= *above {
        return Ok(());
    }
    let question = format!("Send {}, which is worth up to {worth}? {request}", meta.id);
    let refused = |why: &str| Err(format!("not sent: a person has to agree to orders worth more than {above}, {why}"));
    if !can_be_asked(&context.peer) {
        return refused("and this client of the protocol cannot ask one");
    }
    tokio::select! {
        answer = ask(&context.peer, question) => match answer {
            Some(ElicitationAction::Accept) => Ok(()),
            Some(_) => refused("and did not"),
            None => refused("and could not be asked"),
        },
        () = context.ct.cancelled() => refused("and the call was cancelled"),
    }
}

/// Returns whether the client of the protocol can show a form.
fn can_be_asked(peer: &Peer<RoleServer>) -> bool {
    let info = peer.peer_info();
    let elicitation = info.as_ref().and_then(|info| info.capabilities.elicitation.as_ref());
    elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Returns the answer of the person; `None` if there is none.
async fn ask(peer: &Peer<RoleServer>, message: String) -> Option<ElicitationAction> {
    let requested_schema = ElicitationSchema::new(Default::default());
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    match peer.send_request(ServerRequest::ElicitRequest(ElicitRequest::new(params))).await {
        Ok(ClientResult::ElicitResult(result)) => Some(result.action),
        Ok(_) | Err(_) => None,
    }
}
