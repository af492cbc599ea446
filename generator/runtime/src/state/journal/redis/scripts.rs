//! The scripts of a journal on Redis, each of which happens as a whole or not at all.
//!
//! Every script but that of opening begins with [`GUARD`]: the server must have the journal that was opened, and its
//! keys must agree with the count of them that the script before wrote. So a server that lost one of them, or all, is
//! noticed by whoever comes next. A script that writes ends with a new count.

/// The keys after the prefix of the journal, in the order of the names in [`NAMES`].
pub(super) const KEYS: [&str; 11] =
    ["about", "next", "changes", "open", "endings", "gap", "closed", "first", "items", "owners", "count"];

/// The names of the keys in the scripts, how they are counted, and how a gap is noted. No number is given twice, so that
/// the end of a change that is missing is not taken for that of another. A gap that is not closed for all accounts begins
/// earlier, and covers the new one.
const NAMES: &str = "local about, next, changes, open, endings, gap, closed, first, items, owners, count = unpack(KEYS) \
    local function counted() \
      return table.concat({redis.call('GET', next) or '-', redis.call('HLEN', changes), redis.call('SCARD', open), \
        redis.call('HLEN', endings), redis.call('EXISTS', gap), redis.call('GET', first) or '-', \
        redis.call('HLEN', items), redis.call('HLEN', owners)}, ' ') \
    end \
    local function note(last, after) \
      local known = math.max(last, tonumber(string.match(redis.call('GET', count) or '', '^%d+') or '0')) \
      if redis.call('EXISTS', next) == 0 then \
        for _, number in ipairs(redis.call('HKEYS', changes)) do known = math.max(known, tonumber(number)) end \
      end \
      if tonumber(redis.call('GET', next) or '0') < known then redis.call('SET', next, string.format('%.0f', known)) end \
      local is_closed = redis.call('SCARD', closed) > 0 \
      for _, account in ipairs(redis.call('HKEYS', owners)) do \
        is_closed = is_closed and redis.call('SISMEMBER', closed, account) == 1 \
      end \
      if is_closed then redis.call('DEL', gap) end \
      redis.call('SETNX', gap, after) redis.call('DEL', closed) redis.call('SET', count, counted()) \
    end ";

/// Fails if the server no longer has the journal that was opened, or has lost a part of it.
const GUARD: &str = "if redis.call('GET', about) ~= ARGV[1] then return redis.error_reply('LOST the journal is gone') end \
    if redis.call('GET', count) ~= counted() then return redis.error_reply('PARTLY a part of the journal is gone') end ";

/// Writes the count.
const COUNT: &str = " redis.call('SET', count, counted()) ";

/// The end of scripts that return the last number and a mark of its change, and, if there is a gap, when the last change
/// before it was signed and the accounts for which it is closed.
const STATE: &str = " local number = redis.call('GET', next) or '0' \
    local state = {number, redis.sha1hex(redis.call('HGET', changes, number) or ''), redis.call('GET', gap) or nil} \
    if state[3] then for _, account in ipairs(redis.call('SMEMBERS', closed)) do state[#state + 1] = account end end \
    return state";

/// The answer of scripts that find an older state.
const OLDER: &str = "return redis.error_reply('OLDER the state is an earlier one')";

/// Begins the journal, or finds the name of the one that is there. One that begins has a gap, because the server may
/// have lost what was there before.
pub(super) fn open() -> String {
    format!(
        "{NAMES} if redis.call('SETNX', about, ARGV[1]) == 1 then note(0, 'new') end \
         return redis.call('GET', about)"
    )
}

/// Reads the state.
pub(super) fn state() -> String {
    format!("{NAMES}{GUARD}{STATE}")
}

/// Stores a change, unless the last one that this process knows, by its number and the mark of its change, is missing or
/// another one. It may have been pruned.
pub(super) fn begin() -> String {
    format!(
        "{NAMES}{GUARD} local last = tonumber(ARGV[3]) \
         if tonumber(redis.call('GET', next) or '0') < last then {OLDER} end \
         local known = redis.call('HGET', changes, ARGV[3]) \
         if known and redis.sha1hex(known) ~= ARGV[4] then {OLDER} end \
         local new = redis.call('INCR', next) \
         redis.call('HSET', changes, new, ARGV[2]) redis.call('SADD', open, new) {COUNT}{STATE}"
    )
}

/// Notes a gap, and the last number that the process knows.
pub(super) fn note() -> String {
    format!(
        "{NAMES} if redis.call('GET', about) ~= ARGV[1] then return redis.error_reply('LOST the journal is gone') end \
         note(tonumber(ARGV[2]), ARGV[3]) {STATE}"
    )
}

/// Ends a change. One that ended already keeps its first ending unless that was unknown. The text of the change is
/// compared if this process stored it.
pub(super) fn end() -> String {
    format!(
        "{NAMES}{GUARD}{} \
         local before = redis.call('HGET', endings, ARGV[2]) \
         if before and before ~= 'unknown' then return 0 end \
         redis.call('HSET', endings, ARGV[2], ARGV[3]) redis.call('SREM', open, ARGV[2]) {COUNT} return 1",
        same_change()
    )
}

/// Adds the endings of items to a change.
pub(super) fn end_items() -> String {
    format!(
        "{NAMES}{GUARD}{} \
         redis.call('HSET', items, ARGV[2], (redis.call('HGET', items, ARGV[2]) or '') .. ARGV[3]) {COUNT} return 1",
        same_change()
    )
}

fn same_change() -> String {
    format!(
        "if ARGV[4] ~= '' and redis.call('HGET', changes, ARGV[2]) ~= ARGV[4] then {OLDER} end \
         if redis.call('HEXISTS', changes, ARGV[2]) == 0 then return 0 end"
    )
}

/// Returns the numbers of the open changes.
pub(super) fn open_numbers() -> String {
    format!("{NAMES}{GUARD} return redis.call('SMEMBERS', open)")
}

/// Returns the first number that may not be pruned, and the last number.
pub(super) fn bounds() -> String {
    format!("{NAMES}{GUARD} return {{redis.call('GET', first) or '1', redis.call('GET', next) or '0'}}")
}

/// Reads the changes with these numbers: of each the number, the change, its end and those of its items, or empty texts.
pub(super) fn read() -> String {
    format!(
        "{NAMES}{GUARD} local found = {{}} \
         for place = 2, #ARGV do \
           local change = redis.call('HGET', changes, ARGV[place]) \
           if change then \
             found[#found + 1] = ARGV[place] \
             found[#found + 1] = change \
             found[#found + 1] = redis.call('HGET', endings, ARGV[place]) or '' \
             found[#found + 1] = redis.call('HGET', items, ARGV[place]) or '' \
           end \
         end \
         return found"
    )
}

/// Removes changes, and sets the first number that may not be pruned, unless that is empty.
pub(super) fn prune() -> String {
    format!(
        "{NAMES}{GUARD} if ARGV[2] ~= '' then redis.call('SET', first, ARGV[2]) end \
         for place = 3, #ARGV do \
           redis.call('HDEL', changes, ARGV[place]) redis.call('HDEL', endings, ARGV[place]) \
           redis.call('HDEL', items, ARGV[place]) \
         end {COUNT} return 1"
    )
}

/// Closes the gap for an account.
pub(super) fn close_gap() -> String {
    format!("{NAMES}{GUARD} if redis.call('EXISTS', gap) == 1 then redis.call('SADD', closed, ARGV[2]) end {STATE}")
}

/// Finds whom the changes of an account belong to, and stores it if nothing is known.
pub(super) fn claim() -> String {
    format!(
        "{NAMES}{GUARD} redis.call('HSETNX', owners, ARGV[2], ARGV[3]) {COUNT} \
         return redis.call('HGET', owners, ARGV[2])"
    )
}

/// Stores whom the changes of an account belong to.
pub(super) fn claim_again() -> String {
    format!("{NAMES}{GUARD} redis.call('HSET', owners, ARGV[2], ARGV[3]) {COUNT} return 1")
}
