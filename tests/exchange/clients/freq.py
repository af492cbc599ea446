"""freqtrade, unmodified but for the address, trades a classic account: three times leverage, and a stop-loss that waits on
the exchange.

Its bot runs as its own worker runs it. The first position is forced, as from its chat, so that no strategy has to wait for
candles; everything after that is up to it.
"""

import json
import os
import tempfile
import time
import urllib.request
from pathlib import Path

import ccxt
from freqtrade.configuration import Configuration
from freqtrade.enums import RunMode, SignalDirection, State
from freqtrade.freqtradebot import FreqtradeBot
from freqtrade.persistence import Trade
from freqtrade.rpc.rpc import RPC

ADDRESS = os.environ["TRADEAPI_URL"]
PAIR = "BTC/USDT:USDT"
STRATEGY = """
from freqtrade.strategy import IStrategy

class Judge(IStrategy):
    timeframe, stoploss, minimal_roi, can_short = "1m", -0.1, {}, True
    order_types = {"entry": "market", "exit": "market", "stoploss": "market", "stoploss_on_exchange": True}

    def populate_indicators(self, candles, metadata):
        return candles

    def populate_entry_trend(self, candles, metadata):
        return candles

    def populate_exit_trend(self, candles, metadata):
        return candles

    def leverage(self, *arguments, **named):
        return 3.0
"""


def configuration(room):
    """The configuration of a bot for futures, whose files are in a room of their own."""
    (room / "judge.py").write_text(STRATEGY)
    address = {"urls": {"api": {group: ADDRESS for group in ccxt.bitget().urls["api"]}}}
    keys = {name: os.environ[f"TRADEAPI_{variable}"] for name, variable in
            [("key", "KEY"), ("secret", "SECRET"), ("password", "PASSPHRASE")]}
    price = {"price_side": "other", "use_order_book": False}
    settings = {
        "strategy": "Judge", "strategy_path": str(room), "user_data_dir": str(room), "db_url": f"sqlite:///{room}/trades",
        "trading_mode": "futures", "margin_mode": "isolated", "stake_currency": "USDT", "stake_amount": 100,
        "max_open_trades": 1, "dry_run": False, "force_entry_enable": True, "entry_pricing": price, "exit_pricing": price,
        "exchange": {"name": "bitget", **keys, "pair_whitelist": [PAIR], "enable_ws": False,
                     "ccxt_config": address, "ccxt_async_config": address},
        "pairlists": [{"method": "StaticPairList"}],
    }
    file = room / "settings.json"
    file.write_text(json.dumps(settings))
    return Configuration({"config": [str(file)]}, RunMode.LIVE).get_config()


def until(bot, what, holds):
    """Lets the bot do its rounds until its trade is as it should be."""
    for _ in range(20):
        bot.process()
        trade = Trade.get_trades([]).first()
        if trade and holds(trade):
            return trade
        time.sleep(0.5)
    raise AssertionError(f"{what}: {trade} {trade and trade.orders}")


def waits(trade):
    """A stop-loss of the trade is on the exchange."""
    return any(order.ft_order_side == "stoploss" and order.status == "open" for order in trade.orders)


def main():
    """Opens a position, and lets its stop-loss close it."""
    with tempfile.TemporaryDirectory() as room:
        bot = FreqtradeBot(configuration(Path(room)))
        bot.state = State.RUNNING
        bot.startup()
        bot.process()
        RPC(bot)._rpc_force_entry(PAIR, None, order_side=SignalDirection.LONG, leverage=3.0)
        trade = until(bot, "a stop-loss on the exchange", waits)
        held = [one for one in bot.exchange.fetch_positions() if one["contracts"]]
        assert [(one["side"], one["leverage"], one["marginMode"]) for one in held] == [("long", 3, "isolated")], held
        # Below the stop-loss, which is a tenth of the stake away: the price has to fall by a third of that.
        below = f"{trade.open_rate * 0.96:.1f}"
        there = f"{ADDRESS}/-/price?symbol=BTCUSDT&price={below}"
        urllib.request.urlopen(urllib.request.Request(there, method="POST")).close()
        trade = until(bot, "a position that the exchange closed", lambda trade: not trade.is_open)
        assert trade.exit_reason == "stoploss_on_exchange" and trade.leverage == 3, trade
        assert not [one for one in bot.exchange.fetch_positions() if one["contracts"]]
        bot.cleanup()
    print("freqtrade trades with a classic account")


if __name__ == "__main__":
    main()
