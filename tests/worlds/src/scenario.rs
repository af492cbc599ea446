//! The programs of a world. Everything else is a choice.

use crate::exchange::Conduct;

/// A world's programs, and how its exchange treats what the documents leave open.
#[derive(Debug)]
pub struct Scenario {
    /// The name on the command line.
    pub name: &'static str,
    /// The programs, which begin together.
    pub programs: &'static [Program],
    /// The behaviour of the exchange.
    pub conduct: Conduct,
    /// The time at which orders are filled, if they are.
    pub fills: Fills,
    /// True if journals are kept in a folder of the file system, which is compared with what was stored.
    pub is_on_disk: bool,
    /// True if journals can lose changes while no process has them open.
    pub loses: bool,
    /// True if orders can wait for a rate limit.
    pub waits: bool,
    /// The most that the orders of all programs may be worth, if they share a budget.
    pub budget: Option<u64>,
    /// The points that can go otherwise.
    pub moves: Moves,
}

/// The points that can go otherwise in the worlds of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Everything.
    All,
    /// Everything, in worlds with one deviation: a run has hundreds of points, so that more would take days.
    One,
    /// The points that let a change arrive late or not at all, or keep it back.
    Late,
}

/// The options of a scenario with [`Moves::Late`], beside those of a kind world.
const LATE: [&str; 10] = [
    "is lost",
    "is 25 s late and held",
    "does not come",
    "lags",
    "denies it",
    "has room after 10 s",
    "has room after five minutes",
    "at once",
    "after 100 ms",
    "after 10 s",
];

/// The time at which orders are filled, if they are. Without it, they rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fills {
    /// Never.
    Never,
    /// In worlds that deviate from the kind one.
    Perhaps,
    /// At once, in the kind world.
    Usually,
}

/// A program, which is started again when it is killed.
#[derive(Debug)]
pub struct Program {
    /// The key that it signs with; each account of the exchange has one.
    pub key: &'static str,
    /// The name of its account in the journal.
    pub account: &'static str,
    /// The number of its journal.
    pub journal: usize,
    /// The steps of each task, one after the other.
    pub tasks: &'static [&'static [Step]],
    /// True if each task has a client of its own.
    pub has_clients: bool,
    /// The steps after recovery when the process is started again, instead of its tasks.
    pub again: &'static [Step],
}

/// One thing that a program does.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Places an order of a unified account, and confirms it.
    Place(Order),
    /// Places an order of a unified account without an id.
    PlaceWithoutId,
    /// Places several in one request, and confirms each.
    PlaceBatch(&'static [Order]),
    /// Changes the quantity of the order with an id, and confirms that.
    Amend(Order),
    /// Cancels the order with an id.
    Cancel(&'static str),
    /// The same, and confirms it.
    CancelConfirmed(&'static str),
    /// Cancels all orders.
    CancelAll,
    /// Cancels all orders, again if there is no answer, and waits until nothing of that can arrive any more.
    CancelAllRepeated,
    /// Cancels all orders, and perhaps gives the call up.
    CancelAllGivenUp,
    /// Places an order of a unified account, and perhaps gives the call up.
    PlaceGivenUp(Order),
    /// The same, and settles it then by what the client remembers.
    PlaceDropped(Order),
    /// Places 21 orders in two requests, and perhaps stops before the end.
    PlaceBatchStopped,
    /// Cancels and closes everything.
    Flatten,
    /// Places an order of a classic account, and confirms it.
    PlaceClassic(Order),
    /// Reverses the position of a classic account, and confirms it.
    Reverse(&'static str),
    /// Closes all positions of a classic account.
    FlashClose,
    /// Hands the client a record of the order with an id.
    Evidence(&'static str),
    /// Compares the account with the journal.
    Reconcile,
    /// The same, and cancels foreign orders.
    CancelForeign,
    /// The same, and takes foreign orders into the journal.
    Adopt,
    /// Reads the fills into the ledger of the process.
    Ledger,
    /// Drops the changes of the journal that ended.
    Prune,
    /// Ends the process. Its program is started again.
    Restart,
    /// Waits so many seconds.
    Pause(u64),
    /// Keeps a countdown of the exchange running for so many seconds, and ends it.
    Guard(u64),
}

/// An order.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// The client id.
    pub id: &'static str,
    /// The quantity.
    pub qty: u64,
    /// True if it sells.
    pub sells: bool,
}

const KIND: Conduct =
    Conduct { allows_duplicates: false, forgets_ended: false, funds: None, refuses_second_part: false };
const DUPLICATES: Conduct = Conduct { allows_duplicates: true, ..KIND };
const HALF: Conduct = Conduct { refuses_second_part: true, ..KIND };

const A: Order = Order { id: "a", qty: 3, sells: false };
const B: Order = Order { id: "b", qty: 4, sells: false };
const SOLD: Order = Order { id: "c", qty: 1, sells: true };

/// Returns a program with one task.
const fn program(tasks: &'static [&'static [Step]]) -> Program {
    Program { key: "key", account: "", journal: 0, tasks, has_clients: false, again: &[] }
}

const fn scenario(name: &'static str, programs: &'static [Program]) -> Scenario {
    Scenario {
        name,
        programs,
        conduct: KIND,
        fills: Fills::Never,
        is_on_disk: false,
        loses: false,
        waits: false,
        budget: None,
        moves: Moves::All,
    }
}

const FLATTEN: &[Program] = &[program(&[&[Step::Place(A), Step::Flatten, Step::Place(B)]])];
const FLATTEN_CLASSIC: &[Program] = &[program(&[&[Step::PlaceClassic(A), Step::Flatten, Step::PlaceClassic(B)]])];
const FLATTEN_BESIDE: &[Program] = &[program(&[&[Step::Place(A)], &[Step::Pause(1), Step::Flatten, Step::Place(B)]])];
const FLATTEN_BESIDE_CANCEL: &[Program] =
    &[program(&[&[Step::CancelAll], &[Step::Pause(1), Step::Flatten, Step::Place(B)]])];
const FLATTEN_AFTER_SIGNALS: &[Program] =
    &[program(&[&[Step::PlaceGivenUp(A), Step::CancelAllGivenUp, Step::Flatten, Step::Place(B)]])];
const FLATTEN_AFTER_A_CRASH: &[Program] = &[Program {
    again: &[Step::Flatten, Step::Place(B)],
    ..program(&[&[Step::Place(A), Step::CancelAll, Step::Restart]])
}];
const FLATTEN_TWO_PROCESSES: &[Program] =
    &[program(&[&[Step::Place(A)]]), program(&[&[Step::Pause(40), Step::Flatten, Step::Place(B)]])];

/// All scenarios.
pub static SCENARIOS: &[Scenario] = &[
    scenario("place", &[program(&[&[Step::Place(A)]])]),
    Scenario { is_on_disk: true, ..scenario("place-on-disk", &[program(&[&[Step::Place(A)]])]) },
    Scenario { is_on_disk: true, ..scenario("batch-on-disk", &[program(&[&[Step::PlaceBatch(&[A, B])]])]) },
    scenario("two-tasks", &[program(&[&[Step::Place(A)], &[Step::Place(B)]])]),
    scenario("without-id", &[program(&[&[Step::PlaceWithoutId]])]),
    scenario("fleet", &[program(&[&[Step::Place(A)]]), program(&[&[Step::Place(B)]])]),
    scenario(
        "two-processes",
        &[program(&[&[Step::Place(A)]]), Program { journal: 1, ..program(&[&[Step::Place(Order { id: "b", ..A })]]) }],
    ),
    // The budget has room for two of three orders of a quantity of 3, whichever process is killed, or unsure.
    Scenario {
        budget: Some(400_000),
        ..scenario(
            "two-processes-one-budget",
            &[
                Program {
                    again: &[Step::Place(Order { id: "d", ..A })],
                    ..program(&[&[Step::Place(A), Step::Restart]])
                },
                Program { journal: 1, ..program(&[&[Step::Place(Order { id: "b", ..A })]]) },
            ],
        )
    },
    Scenario {
        conduct: Conduct { funds: Some(1), ..KIND },
        ..scenario("funds-for-one", &[program(&[&[Step::Place(A)], &[Step::Place(B)]])])
    },
    scenario("classic", &[program(&[&[Step::PlaceClassic(A)]])]),
    scenario("evidence", &[program(&[&[Step::Place(A)], &[Step::Pause(2), Step::Evidence("a")]])]),
    scenario("cancel", &[program(&[&[Step::Place(A), Step::Cancel("a")]])]),
    Scenario {
        fills: Fills::Perhaps,
        ..scenario(
            "cancel-confirmed",
            &[Program {
                again: &[Step::CancelConfirmed("a")],
                ..program(&[&[Step::Place(A), Step::CancelConfirmed("a"), Step::Restart]])
            }],
        )
    },
    // Two tasks cancel one order.
    Scenario {
        fills: Fills::Perhaps,
        ..scenario(
            "cancel-confirmed-beside",
            &[program(&[&[Step::Place(A), Step::CancelConfirmed("a")], &[Step::Pause(1), Step::CancelConfirmed("a")]])],
        )
    },
    scenario("amend", &[program(&[&[Step::Place(A), Step::Amend(Order { qty: 5, ..A })]])]),
    // The order has the values of the second amendment before the first one.
    scenario("amend-back", &[program(&[&[Step::Place(A), Step::Amend(Order { qty: 5, ..A }), Step::Amend(A)]])]),
    scenario(
        "amend-after-a-crash",
        &[Program {
            again: &[Step::Amend(Order { qty: 5, ..A })],
            ..program(&[&[Step::Place(A), Step::Amend(Order { qty: 5, ..A }), Step::Restart]])
        }],
    ),
    scenario("amend-later", &[program(&[&[Step::Place(A), Step::Pause(20), Step::Amend(Order { qty: 5, ..A })]])]),
    scenario(
        "amend-others",
        &[
            program(&[&[Step::Pause(20), Step::Amend(Order { qty: 5, ..A })]]),
            Program { journal: 1, ..program(&[&[Step::Place(A)]]) },
        ],
    ),
    scenario("batch", &[program(&[&[Step::PlaceBatch(&[A, B])]])]),
    Scenario {
        conduct: Conduct { funds: Some(1), ..KIND },
        ..scenario("batch-half-refused", &[program(&[&[Step::PlaceBatch(&[A, B])]])])
    },
    scenario("cancel-all", &[program(&[&[Step::Place(A), Step::CancelAll]])]),
    scenario("reverse", &[program(&[&[Step::Reverse("a")]])]),
    Scenario { conduct: HALF, ..scenario("reverse-half-refused", &[program(&[&[Step::Reverse("a")]])]) },
    scenario("flash-close", &[program(&[&[Step::FlashClose]])]),
    Scenario { conduct: HALF, ..scenario("flash-close-half-refused", &[program(&[&[Step::FlashClose]])]) },
    Scenario {
        fills: Fills::Perhaps,
        ..scenario("reconcile", &[program(&[&[Step::Place(A), Step::Reconcile, Step::Pause(90), Step::Reconcile]])])
    },
    Scenario {
        fills: Fills::Perhaps,
        ..scenario("reconcile-classic", &[program(&[&[Step::PlaceClassic(A), Step::Reconcile]])])
    },
    scenario("reconcile-beside", &[program(&[&[Step::Place(A)], &[Step::Reconcile]])]),
    scenario("same-id", &[program(&[&[Step::Place(A), Step::Place(A)]])]),
    Scenario { conduct: DUPLICATES, ..scenario("same-id-allowed", &[program(&[&[Step::Place(A), Step::Place(A)]])]) },
    scenario("same-id-after-a-crash", &[Program { again: &[Step::Place(A)], ..program(&[&[Step::Place(A)]]) }]),
    scenario("same-id-later", &[program(&[&[Step::Place(A)], &[Step::Pause(2), Step::Place(A)]])]),
    scenario(
        "same-id-two-clients",
        &[Program { has_clients: true, ..program(&[&[Step::Place(A)], &[Step::Place(A)]]) }],
    ),
    scenario(
        "two-names",
        &[
            Program { account: "one", ..program(&[&[Step::Pause(30), Step::CancelForeign]]) },
            Program { account: "two", ..program(&[&[Step::Place(A)]]) },
        ],
    ),
    Scenario {
        fills: Fills::Perhaps,
        loses: true,
        ..scenario(
            "lost-changes",
            &[Program {
                again: &[Step::CancelForeign],
                ..program(&[&[Step::Place(A), Step::Place(B), Step::Restart]])
            }],
        )
    },
    Scenario {
        fills: Fills::Perhaps,
        loses: true,
        ..scenario(
            "lost-changes-adopted",
            &[Program {
                again: &[Step::Pause(90), Step::Adopt, Step::CancelForeign],
                ..program(&[&[Step::Place(A), Step::Restart]])
            }],
        )
    },
    // An item of the second batch has the id of one of the first.
    scenario(
        "same-id-two-batches",
        &[program(&[&[Step::PlaceBatch(&[A, B]), Step::PlaceBatch(&[Order { qty: 5, ..B }, SOLD])]])],
    ),
    Scenario {
        conduct: DUPLICATES,
        ..scenario(
            "same-id-two-batches-at-once",
            &[program(&[&[Step::PlaceBatch(&[A, B])], &[Step::PlaceBatch(&[B, SOLD])]])],
        )
    },
    scenario(
        "amend-beside-cancel",
        &[program(&[&[Step::Place(A), Step::Amend(Order { qty: 5, ..A })], &[Step::Pause(1), Step::Cancel("a")]])],
    ),
    Scenario {
        fills: Fills::Perhaps,
        ..scenario(
            "pruned",
            &[Program {
                again: &[Step::Prune, Step::CancelForeign, Step::Pause(90), Step::CancelForeign],
                ..program(&[&[Step::Place(A), Step::Place(B), Step::Restart]])
            }],
        )
    },
    scenario("cancel-foreign-beside", &[program(&[&[Step::Place(A)], &[Step::CancelForeign]])]),
    scenario(
        "two-names-adopted",
        &[
            Program { account: "one", ..program(&[&[Step::Pause(30), Step::Adopt, Step::CancelForeign]]) },
            Program { account: "two", ..program(&[&[Step::Place(A), Step::Reconcile]]) },
        ],
    ),
    scenario("cancel-all-repeated", &[program(&[&[Step::Place(A), Step::CancelAllRepeated, Step::Place(B)]])]),
    Scenario { waits: true, ..scenario("dropped", &[program(&[&[Step::PlaceDropped(A)]])]) },
    Scenario {
        waits: true,
        ..scenario("same-id-dropped", &[program(&[&[Step::PlaceDropped(A), Step::PlaceDropped(A)]])])
    },
    Scenario { waits: true, ..scenario("batch-stopped", &[program(&[&[Step::PlaceBatchStopped]])]) },
    Scenario { moves: Moves::One, ..scenario("flatten", FLATTEN) },
    Scenario { moves: Moves::Late, ..scenario("flatten-late", FLATTEN) },
    Scenario { moves: Moves::One, ..scenario("flatten-classic", FLATTEN_CLASSIC) },
    Scenario { moves: Moves::Late, ..scenario("flatten-classic-late", FLATTEN_CLASSIC) },
    Scenario { waits: true, moves: Moves::One, ..scenario("flatten-beside", FLATTEN_BESIDE) },
    Scenario { waits: true, moves: Moves::Late, ..scenario("flatten-beside-late", FLATTEN_BESIDE) },
    Scenario { waits: true, moves: Moves::One, ..scenario("flatten-beside-cancel", FLATTEN_BESIDE_CANCEL) },
    Scenario { waits: true, moves: Moves::Late, ..scenario("flatten-beside-cancel-late", FLATTEN_BESIDE_CANCEL) },
    Scenario { waits: true, moves: Moves::One, ..scenario("flatten-after-signals", FLATTEN_AFTER_SIGNALS) },
    Scenario { waits: true, moves: Moves::Late, ..scenario("flatten-after-signals-late", FLATTEN_AFTER_SIGNALS) },
    Scenario { moves: Moves::One, ..scenario("flatten-after-a-crash", FLATTEN_AFTER_A_CRASH) },
    Scenario { moves: Moves::Late, ..scenario("flatten-after-a-crash-late", FLATTEN_AFTER_A_CRASH) },
    Scenario { moves: Moves::One, ..scenario("flatten-two-processes", FLATTEN_TWO_PROCESSES) },
    Scenario { moves: Moves::Late, ..scenario("flatten-two-processes-late", FLATTEN_TWO_PROCESSES) },
    // The process is dead where it is killed, and the exchange cancels in its place.
    scenario("guard", &[program(&[&[Step::Place(A), Step::Guard(35)]])]),
    Scenario {
        fills: Fills::Usually,
        ..scenario(
            "ledger",
            &[program(&[&[Step::Place(A), Step::Place(SOLD), Step::Ledger, Step::Pause(90), Step::Ledger]])],
        )
    },
];

impl Scenario {
    /// Keeps of these options those that can be chosen in this scenario. The first is that of a kind world.
    pub(crate) fn keep(&self, options: &mut Vec<&'static str>) {
        if self.moves == Moves::Late {
            let kind = options.first().copied();
            options.retain(|option| kind == Some(*option) || LATE.contains(option));
        }
    }

    /// Returns the most deviations of its worlds, if so many are asked for.
    pub fn deviations(&self, bound: usize) -> usize {
        if self.moves == Moves::One { bound.min(1) } else { bound }
    }

    /// Returns the scenario with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SCENARIOS.iter().find(|scenario| scenario.name == name)
    }
}
