//! The table of cases: edits of `fixtures/change`, and the expected output of `diff`.

/// A change of the schema.
pub(crate) struct Case {
    /// The description, which is also the name on disk.
    pub(crate) name: &'static str,
    pub(crate) edits: &'static [Edit],
    /// The differences, the most severe first: class, kind, subjects and change.
    pub(crate) expected: &'static [&'static str],
}

/// A change of one file, named without its extension.
pub(crate) enum Edit {
    /// Replaces the first text, which occurs once, by the second.
    Replace(&'static str, &'static str, &'static str),
    /// Replaces the file by this text.
    Write(&'static str, &'static str),
    /// Removes the file.
    Remove(&'static str),
}

use Edit::{Remove, Replace, Write};

macro_rules! cases {
    ($($name:ident: [$($edit:expr),* $(,)?] => [$($expected:literal),* $(,)?],)*) => {
        pub(crate) const CASES: &[Case] =
            &[$(Case { name: stringify!($name), edits: &[$($edit),*], expected: &[$($expected),*] }),*];
    };
}

const API: &str = "api";
const FAMILY: &str = "house/family";
const TYPES: &str = "house/types";
const FIND: &str = "house/find-books";
const LEND: &str = "house/lend-book";
const EXTEND: &str = "house/extend-loan";
const MANY: &str = "house/lend-many";

const BATCH: &str = "operation: burn-book\ntitle: Burn Book\nhttp: POST /v1/burnt\ndoc: Burns a book.\neffect: cancel\n\
    request: { isbn: { type: Isbn, required: always } }\nresponse: { object: Loan }\nechoes: { isbn: isbn }\n\
    examples: [{ about: One., request: '{\"isbn\": \"1234\"}', response: '{\"status\": \"fine\", \"answer\": {\"isbn\": \"1234\"}}' }]\n";

cases! {
    nothing: [] => [],
    lines_move: [Replace(LEND, "request:\n", "\n\nrequest:\n")] => [],

    // Operations.
    an_operation_comes: [Write("house/burn-book", BATCH)] => ["additive operation house.burn-book new"],
    an_operation_goes: [Remove(MANY)] => ["breaking operation house.lend-many gone"],
    a_title_changes: [Replace(LEND, "title: Lend Book", "title: Lend A Book")]
        => ["breaking operation house.lend-book title: Lend Book -> Lend A Book"],
    a_title_changes_and_rust_keeps_the_name:
        [Replace(LEND, "title: Lend Book", "title: Lend A Book\nrust: LendBook")]
        => ["documentation operation house.lend-book title: Lend Book -> Lend A Book"],
    an_operation_has_another_rust_name: [Replace(LEND, "title: Lend Book", "title: Lend Book\nrust: Borrow")]
        => ["breaking operation house.lend-book rust: LendBook -> Borrow"],
    an_operation_has_another_id_and_the_same_rust_name:
        [Remove("office/count"), Write("office/total", "operation: total\ntitle: Count Things\nhttp: DELETE /v1/count\n\
            doc: Counts, and begins anew.\neffect: cancel\nrepeat: { is: harmless, why: Nothing is left to count. }\nrequest: {}\nresponse: { object: Count }\nexamples:\n  \
            - about: A count.\n    request: \"{}\"\n    response: '{\"status\": \"fine\", \"answer\": {}}'\n")]
        => ["behaviour operation office.total name: count -> total"],
    a_method_changes: [Replace(LEND, "http: POST", "http: PUT")]
        => ["behaviour operation house.lend-book http: POST /v1/loans -> PUT /v1/loans"],
    a_path_changes: [Replace(LEND, "/v1/loans", "/v2/loans")]
        => ["behaviour operation house.lend-book http: POST /v1/loans -> POST /v2/loans"],
    a_parameter_moves_into_the_path: [Replace(LEND, "/v1/loans", "/v1/loans/{isbn}")]
        => ["behaviour operation house.lend-book http: POST /v1/loans -> POST /v1/loans/{isbn}"],
    a_parameter_is_sent_under_another_name: [
        Replace(LEND, "  gift: { type: YesNo,", "  gift: { type: YesNo, in: header, sent_as: X-Gift,"),
    ] => [
        "behaviour parameter house.lend-book.gift in: header now",
        "behaviour parameter house.lend-book.gift sent_as: X-Gift now",
    ],
    an_effect_changes: [Replace(LEND, "effect: create", "effect: amend")]
        => ["behaviour operation house.lend-book effect: create -> amend"],
    a_repeat_is_no_longer_harmless:
        [Replace("office/count", "repeat: { is: harmless, why: Nothing is left to count. }\n", "")]
        => ["breaking repeat office.count gone"],
    a_repeat_is_harmless_for_another_reason: [Replace("office/count", "Nothing is left to count.", "It is zero.")]
        => ["documentation repeat office.count why: reworded"],
    an_operation_no_longer_only_reads:
        [Replace(FIND, "effect: read", "effect: { is: cancel, why: Books that are found are taken back. }")]
        => [
            "breaking operation house.find-books effect: read -> cancel",
            "documentation operation house.find-books effect.why: new text",
        ],
    an_operation_is_no_longer_confirmed: [Replace(EXTEND, "confirm: { by: read-loan, ids: { isbn: isbn } }\n", "")]
        => ["breaking confirmation house.extend-loan gone"],
    a_confirmation_judges_by_something_else: [Replace(EXTEND, "ids: { isbn: isbn } }", "ids: { isbn: isbn }, kept: 1 day }")]
        => ["behaviour confirmation house.extend-loan kept: 1 day now"],
    a_confirmation_compares: [Replace(EXTEND, "ids: { isbn: isbn } }", "ids: { isbn: isbn }, agrees: { days: [isbn] }, changed: due }")]
        => ["behaviour confirmation house.extend-loan agrees: days: isbn now", "behaviour confirmation house.extend-loan changed: due now"],
    an_answer_repeats_nothing: [Replace("house/extend-loan", "echoes: { isbn: isbn }", "echoes_one_of: { isbn: isbn }")]
        => ["behaviour operation house.extend-loan echoes: isbn: isbn -> one of isbn: isbn"],
    a_request_does_several_things: [Replace(LEND, "client_id: card", "client_id: card\ncompound: { why: It lends and bills., when: { place: home } }")]
        => [
            "behaviour operation house.lend-book compound: when place is home now",
            "documentation operation house.lend-book compound.why: new text",
        ],
    credentials_can_be_checked: [
        Replace(FAMILY, "numbers: json\n", "numbers: json\nprobe: { operation: count-loans }\n"),
        Write("house/count-loans", "operation: count-loans\ntitle: Count Loans\nhttp: GET /v1/loan-count\ndoc: Counts.\n\
            effect: read\nrequest: {}\nresponse: { object: Loan }\n\
            examples: [{ about: All., request: '{}', response: '{\"status\": \"fine\", \"answer\": {}}' }]\n"),
    ] => ["additive operation house.count-loans new", "additive probe house new"],
    codes_are_observed: [Write("codes", "codes: { late: { proves: timestamp, says: It is late., sources: [a reader] } }\n")]
        => ["behaviour observed code late new"],
    a_batch_is_confirmed:
        [Replace(MANY, "response:\n", "confirm: { by: read-loan, ids: { isbn: isbn }, created: due, beside: [deposit, damage] }\nresponse:\n")]
        => ["additive confirmation house.lend-many new"],
    the_results_of_a_batch_are_no_longer_listed:
        [Replace(MANY, "  items: { of: \"[]\", id: [isbn], code: isbn }\n", "")]
        => ["breaking batch house.lend-many gone"],
    the_results_of_a_batch_are_listed_in_order: [Replace(MANY, "code: isbn }", "code: isbn, by_place: true }")]
        => ["behaviour batch house.lend-many by_place: yes now"],
    the_items_of_a_listing_have_ids: [Replace(FIND, "  next: after\n", "  next: after\n  id: isbn\n")]
        => ["behaviour operation house.find-books id: isbn now"],
    a_request_has_another_id_of_the_callers: [Replace(LEND, "client_id: card", "client_id: isbn")]
        => ["behaviour operation house.lend-book client_id: card -> isbn"],
    the_client_makes_ids: [Replace(TYPES, "Reader: { doc: Number of a reader., length: [1, 9], alphabet: \"a-z\" }",
        "Reader: { doc: Number of a reader., length: [1, 30], alphabet: \"a-z0-9\", mint: true }")]
        => [
            "behaviour identifier house.Reader length: 1 to 9 -> 1 to 30",
            "behaviour identifier house.Reader alphabet: a-z -> a-z0-9",
            "additive identifier house.Reader mint: yes now",
        ],
    the_client_makes_no_ids: [Replace(TYPES, "\"g*\" }, mint: true }", "\"g*\" } }")]
        => ["breaking identifier house.Card mint: yes no longer"],
    an_operation_is_signed: [Replace(FIND, "access: public", "access: signed")]
        => ["behaviour operation house.find-books access: public -> signed"],
    an_operation_is_whitelisted: [Replace(LEND, "permission: lending", "permission: lending\nwhitelisted: true")]
        => ["behaviour operation house.lend-book whitelisted: yes now"],
    a_permission_changes: [Replace(LEND, "permission: lending", "permission: loans")]
        => ["documentation operation house.lend-book permission: lending -> loans"],
    a_header_of_an_operation_goes: [Replace(LEND, "headers: [X-Branch]\n", "")]
        => ["behaviour operation house.lend-book headers: X-Branch no longer"],
    a_history_is_shorter: [Replace(FIND, "history: 90 days", "history: 30 days")]
        => ["behaviour operation house.find-books history: 90 days -> 30 days"],
    an_example_changes: [Replace(FIND, r#""night", "train""#, r#""night""#)]
        => ["documentation operation house.find-books examples: reworded"],
    a_section_is_called_otherwise: [Replace(FIND, "section: Books", "section: Shelves")]
        => ["documentation operation house.find-books source: handbook, Books -> handbook, Shelves"],

    // Intents.
    an_intent_comes: [Replace(LEND, "intents:\n", "intents:\n  - { id: take-away, says: Reads a book outside., set: { gift: no }, take: [note] }\n")]
        => ["additive intent house.lend-book.take-away new"],
    an_intent_goes: [Replace(LEND, "intents:\n  - id: read-here\n    says: Reads a book in the reading room.\n    at: Loans, rule 6\n    \
        set: { place: room }\n    take: [deposit, note]\n    call: { isbn: bookNumber }\n", "")]
        => ["breaking intent house.lend-book.read-here gone"],
    an_intent_takes_less: [Replace(LEND, "take: [deposit, note]", "take: [deposit]")]
        => ["breaking intent house.lend-book.read-here take: borrower, isbn, deposit, note -> borrower, isbn, deposit"],
    an_intent_takes_its_arguments_in_another_order: [
        Replace(LEND, "  note: { type: string, edit: { keep: left_out, delete: \"-\" }, doc: A note. }\n", ""),
        Replace(LEND, "  deposit:\n", "  note: { type: string, edit: { keep: left_out, delete: \"-\" }, doc: A note. }\n  deposit:\n"),
    ] => ["breaking intent house.lend-book.read-here take: borrower, isbn, deposit, note -> borrower, isbn, note, deposit"],
    an_intent_sets_more: [Replace(LEND, "set: { place: room }", "set: { place: room, gift: no }")]
        => ["behaviour intent house.lend-book.read-here set: place = room -> place = room, gift = no"],
    an_intent_no_longer_sets_what_is_required: [Replace(LEND, "set: { place: room }", "set: { gift: no }")]
        => ["breaking intent house.lend-book.read-here set: place = room -> gift = no"],
    an_intent_has_another_rust_name: [Replace(LEND, "id: read-here", "id: read-here\n    rust: in_the_room")]
        => ["breaking intent house.lend-book.read-here rust: read_here -> in_the_room"],
    an_argument_of_an_intent_is_called_otherwise: [Replace(LEND, "isbn: bookNumber", "isbn: number")]
        => ["documentation intent house.lend-book.read-here call: isbn = book_number -> isbn = number"],
    amendments_are_no_longer_counted: [Replace("house/extend-loan", "in_flight: { per: isbn, n: 1 }\n", "")]
        => ["breaking in_flight house.extend-loan gone"],
    more_amendments_may_be_under_way: [Replace("house/extend-loan", "n: 1", "n: 2")]
        => ["behaviour in_flight house.extend-loan n: 1 -> 2"],

    // Limits and windows.
    a_rate_is_lower: [Replace(LEND, "5/s per UID", "3/s per UID")]
        => ["behaviour rate limit house.lend-book per UID rate: 5/s -> 3/s"],
    a_rate_for_some_goes: [Replace(FIND, ", 20/s per IP for branches", ", 20/s per UID for branches")] => [
        "behaviour rate limit house.find-books per UID for branches new",
        "behaviour rate limit house.find-books per IP for branches gone",
    ],
    a_rate_counts_by_another_thing: [Replace(LEND, "5/s per UID", "5/s per IP")] => [
        "behaviour rate limit house.lend-book per IP new",
        "behaviour rate limit house.lend-book per UID gone",
    ],
    a_span_is_shorter: [Replace(FIND, "span: 30 days", "span: 7 days")]
        => ["behaviour window house.find-books span: 30 days -> 7 days"],
    a_window_wants_both_ends: [Replace(FIND, "span: 30 days", "span: 30 days\n  both_or_neither: true")]
        => ["behaviour window house.find-books both_or_neither: yes now"],
    a_window_goes: [Replace(FIND, "window:\n  from: since\n  to: until\n  span: 30 days\n  default: 1 week\n", "")]
        => ["breaking window house.find-books gone"],
    a_ceiling_changes: [Replace(FAMILY, "n: 12", "n: 10")] => ["behaviour ceiling house.open-loans n: 12 -> 10"],
    a_ceiling_is_of_some: [Replace(FAMILY, "n: 12,", "n: 12, over: { Cover: [hard] },")]
        => ["behaviour ceiling house.open-loans over: Cover: hard now"],
    a_ceiling_comes: [Replace(FAMILY, "limits:\n", "limits:\n  - { id: notes, n: 3, doc: Notes. }\n")]
        => ["behaviour ceiling house.notes new"],
    the_last_ceiling_goes:
        [Replace(FAMILY, "limits:\n  - { id: open-loans, n: 12, doc: Books a reader may have. }\n", "")]
        => ["breaking ceiling house.open-loans gone"],

    a_class_is_of_others: [Replace(FAMILY, "account.desk: back", "account.desk: front")]
        => ["behaviour class house.backers when: the account's desk is back -> the account's desk is front"],
    a_class_goes: [
        Replace(FAMILY, "  backers: { doc: Cards of the back desk., when: { account.desk: back } }\n", ""),
        Replace(LEND, ", 9/s per UID for backers", ""),
    ] => ["behaviour class house.backers gone", "behaviour rate limit house.lend-book per UID for backers gone"],
    a_class_begins: [Replace(FAMILY, "when: { account.desk: back } }", "when: { account.desk: back }, from: 2026-05-04, dated_by: [handbook] }")]
        => ["behaviour class house.backers from: 2026-05-04 now", "documentation class house.backers dated_by: handbook now"],
    classes_are_tried_in_another_order: [Replace(FAMILY, "classes:\n  branches: { doc: Cards of branches., when: { account.branch: \"true\" } }\n  \
        backers: { doc: Cards of the back desk., when: { account.desk: back } }\n", "classes:\n  backers: { doc: Cards of the back desk., \
        when: { account.desk: back } }\n  branches: { doc: Cards of branches., when: { account.branch: \"true\" } }\n")]
        => ["behaviour classes house order: branches, backers -> backers, branches"],

    // Records that are one of several.
    a_record_is_one_of_several:
        [Replace(TYPES, "  Author:\n    doc: Who wrote it.\n    fields:\n      name: { type: string, doc: The name. }\n",
        "  Author: { doc: Who wrote it., one_of: { Person: name, Firm: firm } }\n  \
        Person: { doc: A person., fields: { name: { type: string, doc: The name. } } }\n  \
        Firm: { doc: A firm., fields: { firm: { type: string, doc: Its name. } } }\n")]
        => [
            "breaking record house.Author one_of: yes now",
            "breaking field house.Author.name gone",
            "additive case house.Author.Person new",
            "additive case house.Author.Firm new",
            "additive record house.Person new",
            "additive record house.Firm new",
        ],
    another_record_comes: [
        Replace(TYPES, "one_of: { Return: back, ", "one_of: { Gift: given, Return: back, "),
        Replace(TYPES, "  Return: {", "  Gift: { doc: It is kept., fields: { kind: { type: string, doc: How. } } }\n  Return: {"),
    ] => ["additive case house.Ending.Gift new", "additive record house.Gift new"],
    one_of_the_records_goes: [
        Replace(TYPES, "Return: back, ", "Gift: back, "),
        Replace(TYPES, "  Return: {", "  Gift: {"),
    ] => [
        "breaking case house.Ending.Return gone",
        "breaking record house.Return gone",
        "additive case house.Ending.Gift new",
        "additive record house.Gift new",
    ],
    another_value_tells_the_record: [Replace(TYPES, "Loss: [lost, burnt]", "Loss: [lost, drowned]")]
        => ["behaviour case house.Ending.Loss told_by: lost, burnt -> lost, drowned"],
    another_member_tells_the_record: [Replace(TYPES, "choose_by: kind", "choose_by: how")]
        => ["behaviour record house.Ending choose_by: kind -> how"],
    the_form_tells_the_record:
        [Replace(TYPES, "    choose_by: kind\n    one_of: { Return: back, Loss: [lost, burnt] }", "    one_of: { Return: shelf, Loss: cost }")]
        => [
            "behaviour case house.Ending.Return told_by: back -> shelf",
            "behaviour case house.Ending.Loss told_by: lost, burnt -> cost",
            "behaviour record house.Ending choose_by: kind no longer",
        ],

    // Accounts.
    a_property_comes: [Replace(API, "    since: { type", "    age: { type: flag, doc: Whether it is old. }\n    since: { type")]
        => ["additive property account.age new"],
    a_property_goes: [Replace(API, "    since: { type: time, doc: When the card was made. }\n", "")]
        => ["breaking property account.since gone"],
    a_property_has_another_type: [Replace(API, "since: { type: time", "since: { type: flag")]
        => ["breaking property account.since type: time -> flag"],
    a_property_has_another_rust_name: [Replace(API, "since: { type", "since: { rust: made, type")]
        => ["breaking property account.since rust: since -> made"],
    a_word_comes: [Replace(API, "back: At the back. }", "back: At the back., side: At the side. }")]
        => ["additive value account.desk.side new"],
    a_word_has_another_rust_name: [Replace(API, "back: At the back. }", "back: { rust: Rear, doc: At the back. } }")]
        => ["breaking value account.desk.back rust: Back -> Rear"],
    a_number_of_an_instrument_comes: [Replace(API, "depth: How", "width: How wide it is., depth: How")]
        => ["additive property instrument.width new"],
    a_number_of_an_instrument_goes: [Replace(API, "depth: How deep it is., ", "")]
        => ["breaking property instrument.depth gone"],
    an_instrument_is_unknown: [
        Replace(API, "  instrument:\n    doc: What is known of a shelf.\n    properties: { depth: How deep it is., height: How high it is. }\n", ""),
    ] => ["breaking instrument instrument gone"],

    // Parameters.
    a_required_parameter_comes: [
        Replace(LEND, "  note:", "  desk: { type: string, required: always, doc: Which. }\n  note:"),
        Replace(LEND, r#""deposit": 5.5"#, r#""deposit": 5.5, "desk": "a""#),
    ] => [
        "breaking parameter house.lend-book.desk new",
        "documentation operation house.lend-book examples: reworded",
    ],
    an_optional_parameter_comes: [Replace(LEND, "  note:", "  desk: { type: string, doc: Which. }\n  note:")]
        => ["additive parameter house.lend-book.desk new"],
    a_parameter_goes: [Replace(FIND, "  shelf: { type: integer, digits: 4, doc: Which shelf. }\n", "")]
        => ["breaking parameter house.find-books.shelf gone"],
    a_parameter_becomes_required: [
        Replace(FIND, "shelf: { type: integer,", "shelf: { type: integer, required: always,"),
        Replace(FIND, r#"{"words": "#, r#"{"shelf": 1, "words": "#),
    ] => [
        "breaking parameter house.find-books.shelf required: no -> always",
        "documentation operation house.find-books examples: reworded",
    ],
    a_parameter_is_no_longer_required: [Replace(LEND, "borrower: { type: Borrower, required: always }", "borrower: { type: Borrower }")]
        => ["breaking parameter house.lend-book.borrower required: always -> no"],
    a_parameter_is_required_in_some_cases: [
        Replace(FIND, "shelf: { type: integer,", "shelf: { type: integer, required: conditional,"),
        Replace(FIND, "response:\n", "rules:\n  - { id: by-room, at: Books, kind: stated, says: A room needs shelf., why: No room is named. }\nresponse:\n"),
    ] => [
        "behaviour parameter house.find-books.shelf required: no -> conditional",
        "documentation rule house.find-books.by-room new",
    ],
    the_document_no_longer_says_whether_it_is_required: [Replace(LEND, "required: conditional", "required: unstated")]
        => ["documentation parameter house.lend-book.deposit, house.lend-many.[].deposit required: conditional -> unstated"],
    a_parameter_has_another_type: [Replace(FIND, "shelf: { type: integer, digits: 4,", "shelf: { type: string,")] => [
        "breaking parameter house.find-books.shelf type: integer -> string",
        "behaviour parameter house.find-books.shelf digits: 4 no longer",
    ],
    a_parameter_becomes_a_list: [Replace(FIND, "state: { type: State,", "state: { list: State,")]
        => ["breaking parameter house.find-books.state type: State -> list of State"],
    a_parameter_has_another_wire_name: [Replace(FIND, "  shelf: { type", "  rack: { rust: shelf, type")]
        => ["behaviour parameter house.find-books.rack name: shelf -> rack"],
    a_parameter_has_another_rust_name: [Replace(FIND, "  shelf: { type", "  shelf: { rust: rack, type")]
        => ["breaking parameter house.find-books.shelf rust: shelf -> rack"],
    arguments_have_another_order: [Replace(LEND,
        "  isbn: { type: Isbn, required: always }\n  borrower: { type: Borrower, required: always }\n",
        "  borrower: { type: Borrower, required: always }\n  isbn: { type: Isbn, required: always }\n")]
        => ["breaking arguments house.lend-book order: isbn, borrower, reading -> borrower, isbn, reading"],
    setters_have_another_order: [Replace(FIND,
        "  last: { type: string, doc: Where it ends. }\n  shelf: { type: integer, digits: 4, doc: Which shelf. }\n",
        "  shelf: { type: integer, digits: 4, doc: Which shelf. }\n  last: { type: string, doc: Where it ends. }\n")]
        => [],
    a_default_changes: [Replace(FIND, "default: 20", "default: 50")]
        => ["behaviour parameter house.find-books.limit default: 20 -> 50"],
    a_default_that_is_no_value_changes: [Replace(LEND, "No for children.", "No for all.")]
        => ["documentation parameter house.lend-book.gift default_note: reworded"],
    a_maximum_is_lower: [Replace(FIND, "max: 100", "max: 50")]
        => ["behaviour parameter house.find-books.limit max: 100 -> 50"],
    a_minimum_comes: [Replace(FIND, "digits: 4", "digits: 4, min: 1")]
        => ["behaviour parameter house.find-books.shelf min: 1 now"],
    fewer_items_are_allowed: [Replace(MANY, "max_items: 4", "max_items: 2")]
        => ["behaviour parameter house.lend-many.[] max_items: 4 -> 2"],
    fewer_digits_are_allowed: [Replace(FIND, "digits: 4", "digits: 3")]
        => ["behaviour parameter house.find-books.shelf digits: 4 -> 3"],
    only_some_values_are_allowed: [Replace(FIND, "state: { type: State,", "state: { type: State, only: [open],")]
        => ["behaviour parameter house.find-books.state only: open now"],
    a_unit_changes: [Replace(LEND, "otherwise: stamps", "otherwise: USD")]
        => ["breaking parameter house.lend-book.deposit unit: EUR when place is home; otherwise stamps -> EUR when place is home; otherwise USD"],
    a_parameter_is_deprecated: [Replace(LEND, "gift: { type: YesNo,", "gift: { type: YesNo, deprecated: { since: v2, use: note },")]
        => ["behaviour parameter house.lend-book.gift deprecated: since v2; use note now"],
    an_operation_is_deprecated: [Replace(FIND, "effect: read\n", "effect: read\ndeprecated: {}\n")]
        => ["behaviour operation house.find-books deprecated: yes now"],
    a_field_is_deprecated: [Replace(TYPES, "      made: { type: time,", "      made: { type: time, deprecated: { use: due },")]
        => ["behaviour field house.Loan.made deprecated: use due now"],
    a_value_is_deprecated: [Replace(TYPES, "lawn: On the lawn.", "lawn: { doc: On the lawn., deprecated: { since: v2 } }")]
        => ["behaviour value house.Place.lawn deprecated: since v2 now"],
    a_value_ends: [Replace(TYPES, "lawn: On the lawn.", "lawn: { doc: On the lawn., until: 2026-09-21, dated_by: [handbook] }")]
        => ["behaviour value house.Place.lawn until: 2026-09-21 now", "documentation value house.Place.lawn dated_by: handbook now"],
    a_unit_is_no_longer_stated: [Replace(MANY, "unit: EUR", "unit: [{ otherwise: EUR }]")] => [],
    a_number_travels_as_text: [Replace(FIND, "shelf: { type: integer,", "shelf: { type: integer, json: text,")]
        => ["behaviour parameter house.find-books.shelf json: number -> text"],
    a_value_can_no_longer_be_deleted: [Replace(LEND, "edit: { keep: left_out, delete: \"-\" }, ", "")]
        => [r#"breaking parameter house.lend-book.note edit: left out keeps, "-" deletes no longer"#],
    another_text_deletes: [Replace(LEND, "delete: \"-\"", "delete: \"0\"")]
        => [r#"behaviour parameter house.lend-book.note edit: left out keeps, "-" deletes -> left out keeps, "0" deletes"#],
    a_parameter_is_explained_otherwise: [Replace(LEND, "doc: A note.", "doc: A short note.")]
        => ["documentation parameter house.lend-book.note doc: reworded"],
    a_parameter_that_others_refer_to_changes: [Replace(LEND, "    min: 1\n", "    min: 2\n")]
        => ["behaviour parameter house.lend-book.deposit, house.lend-many.[].deposit min: 1 -> 2"],
    an_item_has_another_name: [Replace(MANY, "item: OneLoan", "item: SingleLoan")]
        => ["breaking parameter house.lend-many.[] type: list of OneLoan -> list of SingleLoan"],
    a_parameter_of_an_item_comes: [Replace(MANY, "      damage:", "      shelf: { type: string, doc: Which. }\n      damage:")]
        => ["additive parameter house.lend-many.[].shelf new"],
    a_parameter_of_an_object_has_another_name: [Replace(LEND, "paper:", "foil:")]
        => ["breaking parameter house.lend-book.packing.paper gone", "additive parameter house.lend-book.packing.foil new"],
    a_parameter_of_an_object_is_required: [Replace(LEND, "paper: {", "paper: { required: always,")]
        => ["breaking parameter house.lend-book.packing.paper required: no -> always"],
    a_body_becomes_an_object: [
        Replace(MANY, "\"[]\":", "loans:"), Replace(MANY, "    rust: loans\n", ""), Replace(MANY, "in: \"[]\"", "in: loans"),
        Replace(MANY, "of: \"[]\"", "of: loans"),
        Replace(MANY, r#"[{"isbn": "1234"}]"#, r#"{"loans": [{"isbn": "1234"}]}"#),
    ] => [
        "behaviour rule house.lend-many.front-cards-leave-one condition: in []: when the account's desk is front; require deposit given -> \
         in loans: when the account's desk is front; require deposit given",
        "behaviour operation house.lend-many body: an array -> parameters",
        "behaviour batch house.lend-many of: [] -> loans",
        "documentation operation house.lend-many examples: reworded",
    ],

    // Answers.
    a_response_is_a_list: [Replace(LEND, "echoes: { isbn: isbn }\nresponse:\n  object: Loan", "response:\n  array: Loan"),
        Replace(LEND, r#""answer": {"isbn": "1234"}"#, r#""answer": []"#)] => [
        "breaking operation house.lend-book response: Loan -> list of Loan",
        "behaviour operation house.lend-book echoes: isbn: isbn no longer",
        "documentation operation house.lend-book examples: reworded",
    ],
    a_response_is_another_record: [Replace(LEND, "object: Loan", "object: Book")]
        => ["breaking operation house.lend-book response: Loan -> Book"],
    a_list_is_found_elsewhere: [Replace(MANY, "observed_under: loans", "observed_under: list")]
        => ["behaviour operation house.lend-many observed_under: loans -> list"],
    a_page_has_another_name: [Replace(FIND, "page: books", "page: found"), Replace(FIND, r#""books": [{}]"#, r#""found": [{}]"#)] => [
        "breaking operation house.find-books page: books -> found",
        "documentation operation house.find-books examples: reworded",
    ],
    a_cursor_has_another_name: [Replace(FIND, "cursor: mark", "cursor: end"), Replace(FIND, r#""mark": "m1""#, r#""end": "m1""#)] => [
        "breaking operation house.find-books cursor: mark -> end",
        "documentation operation house.find-books examples: reworded",
    ],
    a_cursor_goes_into_a_parameter_of_another_type: [Replace(FIND, "next: after", "next: last")]
        => ["breaking operation house.find-books next: after -> last"],
    a_field_comes: [Replace(TYPES, "      title:", "      pages: { type: integer, doc: How many. }\n      title:")]
        => ["additive field house.Book.pages new"],
    a_field_that_records_include_comes: [Replace(TYPES, "      isbn: { type: Isbn }\n", "      isbn: { type: Isbn }\n      copy: { type: integer, doc: Which. }\n")]
        => ["additive field house.Book.copy, house.Loan.copy new"],
    a_field_goes: [Replace(TYPES, "      made: { type: time, doc: When it was made. }\n", "")]
        => ["breaking field house.Loan.made gone"],
    a_field_has_another_type: [Replace(TYPES, "made: { type: time", "made: { type: string")]
        => ["breaking field house.Loan.made type: time -> string"],
    a_field_becomes_one: [Replace(TYPES, "others: { list: Author", "others: { type: Author")]
        => ["breaking field house.Book.others type: list of Author -> Author"],
    a_field_has_another_wire_name: [Replace(TYPES, "      made: { type", "      printed: { rust: made, type")]
        => ["behaviour field house.Loan.printed name: made -> printed"],
    a_field_has_another_rust_name: [Replace(TYPES, "      due: { type", "      due: { rust: until, type")]
        => ["breaking field house.Loan.due rust: due -> until"],
    a_field_lists_more_values: [Replace(TYPES, "only: [open]", "only: [open, closed]")]
        => ["documentation field house.Loan.state only: open -> open, closed"],
    a_field_may_no_longer_be_null: [Replace(TYPES, "may_be: null, ", "")]
        => ["documentation field house.Book.title may_be: null no longer"],
    a_field_travels_as_text: [Replace(TYPES, "price: { type: decimal,", "price: { type: decimal, json: text,")]
        => ["documentation field house.Book.price json: number -> text"],
    a_field_counts_another_unit: [Replace(TYPES, "unit: EUR, doc: The price.", "unit: stamps, doc: The price.")]
        => ["breaking field house.Book.price unit: EUR -> stamps"],
    a_field_no_longer_tells_its_unit: [Replace(TYPES, "unit: EUR, doc: The price.", "doc: The price.")]
        => ["documentation field house.Book.price unit: EUR no longer"],
    a_record_comes: [Replace(TYPES, "  Author:\n", "  Shelf: { doc: A shelf., fields: { n: { type: integer, doc: Which. } } }\n  Author:\n"),
        Replace(TYPES, "      title:", "      shelf: { type: Shelf }\n      title:")]
        => ["additive record house.Shelf new", "additive field house.Book.shelf new"],
    a_record_is_only_included: [
        Replace(TYPES, "others: { list: Author", "others: { list: string"),
        Replace(TYPES, "doc: Who wrote it.\n", "doc: Who wrote it.\n    abstract: true\n"),
        Replace(TYPES, "    doc: A copy of a book.\n", "    doc: A copy of a book.\n    includes: Author\n"),
    ] => ["breaking field house.Book.others type: list of Author -> list of string", "breaking record house.Author gone", "additive field house.Copy.name new"],
    a_record_has_another_rust_name: [Replace(TYPES, "    doc: A loan.\n", "    doc: A loan.\n    rust: Lease\n")]
        => ["breaking record house.Loan rust: Loan -> Lease"],

    // Enums.
    a_value_comes: [Replace(TYPES, "\"no\": It is not so. }", "\"no\": It is not so., perhaps: Who knows. }")]
        => ["additive value house.YesNo.perhaps new"],
    a_value_goes: [Replace(TYPES, ", soft: In paper. }", " }")] => ["breaking value house.Cover.soft gone"],
    a_value_has_another_wire_name: [Replace(TYPES, "      home: At home.", "      house: { rust: Home, doc: At home. }"),
        Replace(TYPES, "      home:\n        days", "      house:\n        days"), Replace(LEND, "place: home", "place: house")] => [
        "breaking parameter house.lend-book.deposit unit: EUR when place is home; otherwise stamps -> EUR when place is house; otherwise stamps",
        "behaviour value house.Place.house name: home -> house",
    ],
    a_value_has_another_rust_name: [Replace(TYPES, "closed: { doc: Back again.,", "closed: { rust: Returned, doc: Back again.,")]
        => ["breaking value house.State.closed rust: Closed -> Returned"],
    another_spelling_is_read: [Replace(TYPES, "also: [returned]", "also: [returned, back]")]
        => ["behaviour value house.State.closed also: returned -> returned, back"],
    a_value_is_explained_otherwise: [Replace(TYPES, "room: In the reading room.", "room: In a reading room.")]
        => ["documentation value house.Place.room doc: reworded"],
    a_bool_makes_no_value: [Replace(TYPES, "    truth: { \"yes\": true, \"no\": false }\n", "")]
        => ["breaking enum house.YesNo truth: yes is true, no is false no longer"],
    a_bool_makes_another_value: [Replace(TYPES, "truth: { \"yes\": true, \"no\": false }", "truth: { \"yes\": false, \"no\": true }")]
        => ["behaviour enum house.YesNo truth: yes is true, no is false -> no is true, yes is false"],
    a_bool_makes_a_value: [Replace(TYPES, "soft: In paper. }\n", "soft: In paper. }\n    truth: { hard: true, soft: false }\n")]
        => ["additive enum house.Cover truth: hard is true, soft is false now"],
    an_enum_has_another_name_and_the_same_rust_name: [
        Replace(TYPES, "  YesNo:\n", "  Flag:\n    rust: YesNo\n"), Replace(LEND, "type: YesNo", "type: Flag"),
    ] => ["documentation enum house.Flag name: YesNo -> Flag"],
    an_enum_has_another_name: [Replace(TYPES, "  YesNo:\n", "  Flag:\n"), Replace(LEND, "type: YesNo", "type: Flag")] => [
        "breaking parameter house.lend-book.gift type: YesNo -> Flag",
        "breaking enum house.YesNo gone",
        "additive enum house.Flag new",
    ],

    // Identifiers.
    an_identifier_is_shorter: [Replace(TYPES, "length: [4, 13]", "length: [4, 10]")]
        => ["behaviour identifier house.Isbn length: 4 to 13 -> 4 to 10"],
    an_alphabet_is_narrower: [Replace(TYPES, "0-9X-", "0-9-")]
        => ["behaviour identifier house.Isbn alphabet: 0-9X- -> 0-9-"],
    a_length_is_no_longer_stated: [Replace(TYPES, "length: [4, 13], ", "")]
        => ["breaking identifier house.Isbn length: 4 to 13 no longer"],
    an_alphabet_is_no_longer_stated: [Replace(TYPES, "length: [4, 13], alphabet: \"0-9X-\"", "length: [4, 13]")]
        => ["behaviour identifier house.Isbn alphabet: 0-9X- no longer"],
    an_identifier_is_constrained: [Replace(TYPES, "Number of a card.,", "Number of a card., alphabet: a-z0-9-,")]
        => ["breaking identifier house.Card alphabet: a-z0-9- now"],
    an_identifier_is_no_longer_constrained: [Replace(TYPES, ", length: [1, 9], alphabet: \"a-z\"", "")] => [
        "breaking identifier house.Reader length: 1 to 9 no longer",
        "breaking identifier house.Reader alphabet: a-z no longer",
    ],
    a_form_comes: [Replace(TYPES, "guest: \"g*\"", "guest: \"g*\", staff: \"s*\"")]
        => ["additive form house.Card.staff new"],
    a_form_goes: [Replace(TYPES, ", guest: \"g*\"", "")] => ["breaking form house.Card.guest gone"],
    a_form_is_another: [Replace(TYPES, "guest: \"g*\"", "guest: \"v*\"")]
        => ["behaviour form house.Card.guest pattern: g* -> v*"],

    // Choices.
    an_alternative_comes: [Replace(TYPES, "      reader: { type: Reader }\n", "      reader: { type: Reader }\n      seat: { type: integer, doc: Where. }\n")]
        => ["additive alternative house.Borrower.seat new"],
    an_alternative_of_the_same_type_comes: [Replace(TYPES, "      reader: { type: Reader }\n", "      reader: { type: Reader }\n      friend: { type: Reader }\n")]
        => ["breaking alternative house.Borrower.friend new"],
    an_alternative_goes: [
        Replace(TYPES, "      reader: { type: Reader }\n    wins: reader", "      seat: { type: integer, doc: Where. }\n    wins: card"),
    ] => [
        "breaking alternative house.Borrower.reader gone",
        "additive alternative house.Borrower.seat new",
        "documentation choice house.Borrower wins: reader -> card",
    ],
    a_case_takes_more: [Replace(TYPES, "        days: {", "        shelf: { type: string, doc: Which. }\n        days: {")]
        => ["additive parameter house.Reading.home.shelf new"],
    a_case_requires_more: [Replace(TYPES, "        days: {", "        shelf: { type: string, required: always, doc: Which. }\n        days: {"),
        Replace(LEND, r#""place": "room""#, r#""place": "room""#)]
        => ["breaking parameter house.Reading.home.shelf new"],
    a_bare_case_takes_something: [Replace(TYPES, "      lawn: {}", "      lawn: { seat: { type: integer, doc: Where. } }")]
        => ["additive parameter house.Reading.lawn.seat new"],
    a_bare_case_needs_something: [Replace(TYPES, "      lawn: {}", "      lawn: { seat: { type: integer, required: always, doc: Where. } }")]
        => ["breaking parameter house.Reading.lawn.seat new"],
    a_case_comes: [Replace(TYPES, "      lawn: On the lawn.\n", "      lawn: On the lawn.\n      park: Outside.\n"),
        Replace(TYPES, "      lawn: {}\n", "      lawn: {}\n      park: {}\n")] => [
        "additive value house.Place.park new",
        "additive case house.Reading.park new",
    ],
    another_parameter_decides: [Replace(TYPES, "choose_by: place", "choose_by: where"), Replace(LEND, "set: { place: room }", "set: { where: room }"),
        Replace(LEND, "when: { place: home }", "when: { where: home }"), Replace(LEND, r#""place": "room""#, r#""where": "room""#)] => [
        "breaking parameter house.lend-book.deposit unit: EUR when place is home; otherwise stamps -> EUR when where is home; otherwise stamps",
        "behaviour intent house.lend-book.read-here set: place = room -> where = room",
        "behaviour choice house.Reading choose_by: place -> where",
        "documentation operation house.lend-book examples: reworded",
    ],

    // Codes, rules, states and texts.
    an_error_comes: [Replace(FAMILY, "  gone: {", "  late: { text: Too late }\n  gone: {")]
        => ["additive error house.late new"],
    an_error_goes: [Replace(FAMILY, "  gone: { text: No such book, doc: The book is not there. }\n", "")]
        => ["breaking error house.gone gone"],
    an_error_has_another_text: [Replace(FAMILY, "No such book", "Book not found")]
        => ["breaking error house.gone text: No such book -> Book not found"],
    an_error_has_another_outcome: [Replace(FAMILY, "No such book,", "No such book, proves: unknown,")]
        => ["behaviour error house.gone proves: not_done -> unknown"],
    an_error_comes_early: [Replace(FAMILY, "No such book,", "No such book, stage: parameters,")]
        => ["behaviour error house.gone stage: trading -> parameters"],
    a_checked_rule_goes: [Replace(LEND, "  - id: cards-leave-a-deposit\n    at: Loans, rule 1\n    kind: checked\n    \
        says: Who shows a card leaves a deposit.\n    when: { given: [card] }\n    require: { given: [deposit] }\n", "")]
        => ["behaviour rule house.lend-book.cards-leave-a-deposit gone"],
    a_rule_only_warns: [Replace(LEND, "says: Who shows", "severity: warn\n    says: Who shows")]
        => ["behaviour rule house.lend-book.cards-leave-a-deposit severity: refuse -> warn"],
    a_rule_that_others_refer_to_asks_another_account: [Replace(LEND, "account.desk: front", "account.desk: back")] => [
        "behaviour rule house.lend-book.front-cards-leave-one condition: when the account's desk is front; \
         require deposit given -> when the account's desk is back; require deposit given",
        "behaviour rule house.lend-many.front-cards-leave-one condition: in []: when the account's desk is front; \
         require deposit given -> in []: when the account's desk is back; require deposit given",
    ],
    a_rule_that_others_refer_to_has_other_words: [Replace(LEND, "A card of the front desk has a deposit.", "Front cards leave one.")]
        => ["documentation rule house.lend-book.front-cards-leave-one, house.lend-many.front-cards-leave-one says: reworded"],
    a_rule_asks_for_something_else: [Replace(LEND, "[card] }\n    require: { given: [deposit] }", "[note] }\n    require: { given: [deposit] }")]
        => ["behaviour rule house.lend-book.cards-leave-a-deposit condition: when card given; require deposit given -> when note given; require deposit given"],
    a_rule_is_of_another_kind: [Replace(FAMILY, "kind: simulated", "kind: stated, why: It varies.")] => [
        "behaviour rule house.pauses kind: simulated -> stated",
        "documentation rule house.pauses why: new text",
    ],
    a_stated_rule_comes: [Replace(FAMILY, "rules:\n", "rules:\n  - { id: dogs, at: First page, kind: stated, says: No dogs., why: A custom. }\n")]
        => ["documentation rule house.dogs new"],
    a_rule_has_other_words: [Replace(LEND, "Who shows a card leaves a deposit.", "With a card goes a deposit.")]
        => ["documentation rule house.lend-book.cards-leave-a-deposit says: reworded"],
    a_lifecycle_goes: [Replace(FAMILY, "lifecycle:\n  enum: State\n  states:\n    open: { doc: With the reader. }\n    \
        closed: { doc: Back again., terminal: true }\n  transitions:\n    - { from: open, trigger: a return, to: closed, \
        condition: The copy is whole. }\n  never:\n    - { from: closed, to: open, at: \"Loans, rule 4\", why: It is lent anew. }\n  \
        records:\n    - { record: Loan, id: isbn, state: state, at: due }\n    - { record: Copy, client_id: mark, state: state }\n", "")]
        => ["breaking lifecycle house gone"],
    a_record_tells_no_state: [Replace(FAMILY, "    - { record: Copy, client_id: mark, state: state }\n", "")]
        => ["breaking tracked record house.Copy gone"],
    a_record_tells_a_state: [Replace(FAMILY, "  records:\n", "  records:\n    - { record: Page, id: mark, state: state }\n"),
        Replace(TYPES, "  Copy:\n", "  Page: { doc: A page., fields: { mark: { type: Card, doc: One. }, state: { type: State, doc: Another. } } }\n  Copy:\n")] => [
        "additive tracked record house.Page new",
        "additive record house.Page new",
    ],
    another_field_tells_the_record: [Replace(FAMILY, "id: isbn, state: state, at: due", "client_id: isbn, state: state, at: due")] => [
        "behaviour tracked record house.Loan client_id: isbn now",
        "behaviour tracked record house.Loan id: isbn no longer",
    ],
    something_is_no_longer_ruled_out: [Replace(FAMILY, "  never:\n    - { from: closed, to: open, at: \"Loans, rule 4\", why: It is lent anew. }\n", "")]
        => ["behaviour never house.closed -> open gone"],
    a_state_is_no_longer_the_last: [Replace(FAMILY, ", terminal: true", "")]
        => ["behaviour state house.closed terminal: yes no longer"],
    a_transition_has_another_condition: [Replace(FAMILY, "The copy is whole.", "The copy is clean.")]
        => ["behaviour transition house.open -> closed by a return condition: The copy is whole. -> The copy is clean."],
    a_gap_is_closed: [Replace(FAMILY, "not_shown: [What a card looks like.]\n", "")]
        => ["documentation family house not_shown: text removed"],
    a_contradiction_is_read_otherwise: [Replace(FAMILY, "chosen: At six.", "chosen: At seven.")]
        => ["documentation contradiction house.hours chosen: reworded"],
    an_observation_comes: [Replace(API, "observed:\n", "observed:\n  - { id: lamps, says: Lamps flicker., sources: [a reader] }\n")]
        => ["documentation observation api.lamps new"],

    // Families and the whole API.
    a_family_comes: [
        Write("garden/family", "family: garden\ntitle: Garden\ndoc: The garden.\nnumbers: text\n"),
        Write("garden/types", "records:\n  Bench: { doc: A bench., fields: { n: { type: integer, doc: Which. } } }\n"),
        Write("garden/sit", "operation: sit\ntitle: Sit\nhttp: POST /v1/sit\ndoc: Sits.\neffect: create\nrequest: {}\n\
            response: { object: Bench }\nexamples: [{ about: One., request: '{}', response: '{\"status\": \"fine\", \"answer\": {}}' }]\n"),
    ] => ["additive family garden new"],
    a_family_goes: [Remove("office/family"), Remove("office/types"), Remove("office/count")]
        => ["breaking family office gone"],
    all_numbers_travel_otherwise: [Replace("office/family", "numbers: text", "numbers: json")]
        => ["behaviour family office numbers: text -> json"],
    the_envelope_has_another_member: [Replace(API, "message: text", "message: words")]
        => ["behaviour envelope api message: text -> words"],
    the_signature_is_written_otherwise: [Replace(API, "encoding: hex", "encoding: base64")]
        => ["behaviour credentials api encoding: hex -> base64"],
    a_query_is_signed_without_its_escapes:
        [Replace(API, "  algorithm: hmac-sha256", "  signed_query: decoded\n  algorithm: hmac-sha256")]
        => ["behaviour credentials api signed_query: sent -> decoded"],
    a_code_refuses_timestamps: [Replace(FAMILY, "No such book,", "No such book, proves: timestamp,")] => [
        "behaviour error house.gone proves: not_done -> timestamp",
        "behaviour error house.gone stage: trading -> gateway",
        "behaviour error house.gone cause: clock now",
    ],
    a_header_is_no_longer_always_sent: [
        Replace(API, "sent: always", "sent: by_operation"),
        Replace(LEND, "headers: [X-Branch]", "headers: [X-Branch, X-Language]"),
    ] => [
        "behaviour header X-Language sent: always -> by_operation",
        "behaviour operation house.lend-book headers: X-Branch -> X-Branch, X-Language",
    ],
    a_header_comes: [Replace(API, "headers:\n  X-Branch", "headers:\n  X-Desk: { doc: The desk., sent: always }\n  X-Branch")]
        => ["behaviour header X-Desk new"],
    a_document_has_another_title: [Replace(API, "title: Handbook", "title: The handbook")]
        => ["documentation document handbook title: reworded"],
    the_api_is_explained_otherwise: [Replace(API, "doc: The books of a library and their loans.", "doc: Books and loans.")]
        => ["documentation api api doc: reworded"],
}
