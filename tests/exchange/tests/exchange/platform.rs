//! The market as everyone sees it, and the risk that an account shows.

use tradeapi::unified::{
    Category, Execution, GetAccountAssets, GetRealityFills, PlaceOrder, PlaceRealityOrder, RealityExecution, Side,
};
use tradeapi_exchange::Profile;

use crate::fixture::{Fixture, code, limit, market, number};

#[tokio::test]
async fn a_trade_between_two_users_is_shown_once() {
    let maker = Fixture::with(|_| {}, Profile::new().both().whitelisted().balance("rAAPL", 10));
    let taker = maker.another(Profile::new().both().whitelisted());
    // Between the quotes of other participants, so that the taker meets this order first.
    let sell = PlaceOrder::new(Category::Spot, "rAAPLUSDT", number("1"), Side::Sell, Execution::limit(number("230")));
    maker.client.unified().place_order(&sell).await.unwrap();
    let buy = RealityExecution::limit(number("230"));
    let buy = PlaceRealityOrder::new("rAAPLUSDT", Side::Buy, buy, number("0.5"));
    taker.client.unified().place_reality_order(&buy).await.unwrap();
    let fills = taker.client.unified().get_reality_fills(&GetRealityFills::new("rAAPLUSDT")).await.unwrap().data;
    let shown: Vec<_> = fills.iter().map(|fill| (fill.side.clone(), fill.size.clone())).collect();
    assert_eq!(shown.last(), Some(&(Some(Side::Buy), Some(number("0.5")))), "the side is that of the taker");
    assert_eq!(shown.iter().filter(|(_, size)| *size == Some(number("0.5"))).count(), 1, "{shown:?}");
}

#[tokio::test]
async fn the_maintenance_margin_is_that_of_the_positions() {
    let fixture = Fixture::one_way();
    let maintenance = || async {
        let assets = fixture.client.unified().get_account_assets(&GetAccountAssets::new()).await.unwrap().data;
        assets.maintenance_margin
    };
    assert_eq!(maintenance().await, Some(number("0")));
    fixture.client.unified().place_order(&market("a", Side::Buy, "0.100")).await.unwrap();
    assert_eq!(maintenance().await, Some(number("32")), "0.5 percent of 6,400");
}

#[tokio::test]
async fn a_hidden_answer_has_the_text_of_its_code() {
    let fixture = Fixture::one_way();
    let mut texts = Vec::new();
    for hidden in ["40725", "43012", "98765"] {
        fixture.exchange.hide_next(hidden);
        let error = fixture.client.unified().place_order(&limit(hidden, Side::Buy, "0.01", "60000")).await.unwrap_err();
        texts.push(error.to_string());
        assert_eq!(code::<()>(Err(error)).as_deref(), Some(hidden));
    }
    assert!(texts[0].contains("service return an error"), "{texts:?}");
    assert!(texts.iter().all(|text| !text.contains("requested")), "{texts:?}");
    assert_eq!(fixture.unified().open_orders.len(), 3, "all of them were placed");
}
