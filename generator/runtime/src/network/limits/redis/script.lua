-- The limits of a fleet: which process may call, and when. The documentation of `redis.rs` states the rules. Times are
-- in microseconds.
--
-- KEYS  1  the fleet's clock
--       2  until when no call is admitted from the address
--       3  the members
--       4  and on: the windows: those of the operation alone, of its pools, and the overall ones
-- ARGV  1  what to do
--       2  the run of the server
--       3  until when the caller can use permits; later, none are granted
--       4  until when the caller is a member of the fleet
--       5  how far ahead of now that can be at most
--       6  how many windows are the operation's own, with its pools
--       7  the lease of a permit
--       8  how long an unreported call may be in flight
--       9  how far ahead of now a permit may be granted at most
--      10  for how long something may be shut at most
--      11  how many windows are the operation's alone
--      12  the name of the caller's bucket
--      13  and on: of each window the most calls, its span, and how many calls a call counts as; then what is to be done
--          takes more

local DAY_MS = 86400000
-- How long after the time it was given an urgent call is expected to ask again.
local GRACE = 100000
-- When to ask again if it is not known when there is room.
local SOON = 25000
-- For how long an address may be refused at most.
local LONGEST_REFUSAL = 3600000000
-- The longest time that room is kept for a waiting call that does not ask again.
local PATIENCE = 500000

-- Other conversions lose digits of numbers this long.
local function text(number)
  return string.format('%.0f', number)
end

local function milliseconds(duration)
  return text(math.max(1, math.ceil(duration / 1000)))
end

-- The fleet's time, and from when on the server knows of all permits.
--
-- The fleet's time never goes back: where the server's clock is set back, it goes on from the latest time that was
-- returned. A server that was restarted, flushed or replaced has forgotten permits; members have to register again.
local function read_clock()
  local time = redis.call('TIME')
  local wall = time[1] * 1000000 + time[2]
  local known = redis.call('HMGET', KEYS[1], 'run', 'since', 'ahead', 'latest')
  local now = math.max(wall + tonumber(known[3] or 0), tonumber(known[4] or 0))
  local since = tonumber(known[2] or 0)
  if known[1] ~= ARGV[2] then
    since = now
    redis.call('DEL', KEYS[3])
  end
  redis.call('HSET', KEYS[1], 'run', ARGV[2], 'since', text(since), 'ahead', text(now - wall), 'latest', text(now))
  redis.call('PEXPIRE', KEYS[1], DAY_MS)
  return now, since
end

local now, since = read_clock()
local member_until = tonumber(ARGV[4])
-- A caller whose time is too far ahead of this one uses another clock.
local is_late = now > math.min(tonumber(ARGV[3]), member_until) or member_until > now + tonumber(ARGV[5])
local own, alone = tonumber(ARGV[6]), tonumber(ARGV[11])
local lease = tonumber(ARGV[7])
local settling = tonumber(ARGV[8])
local horizon = lease + settling + tonumber(ARGV[9])
local longest_shut = tonumber(ARGV[10])

local windows = {}
for index = 4, #KEYS do
  local place = 13 + (index - 4) * 3
  windows[index - 3] = {
    key = KEYS[index],
    most = tonumber(ARGV[place]),
    span = tonumber(ARGV[place + 1]),
    count = tonumber(ARGV[place + 2]),
  }
end
local place = 13 + #windows * 3
local function word()
  place = place + 1
  return ARGV[place - 1]
end
local function number()
  return tonumber(word())
end

-- Until when something is shut, for `longest` at most. A time that is too far ahead is a mistake, or of another clock.
local function shut_until(key, longest)
  local till = tonumber(redis.call('GET', key) or 0)
  return till <= now + longest and till or 0
end

local function shut(key, duration, longest)
  if duration > 0 and now + duration > shut_until(key, longest) then
    redis.call('SET', key, text(now + duration), 'PX', milliseconds(duration))
  end
end

-- The key with the time until which no call is admitted from the address. No answer takes away the ability to cancel
-- for more than a window, or than the longest pause while the exchange refuses the address.
local function gate(cancels)
  return cancels and KEYS[2] .. ':cancels' or KEYS[2]
end

-- A member is registered until a time that it states itself. Its share counts from the time when no earlier process with
-- the same share can still be alone.
local function register()
  local name, share, age = word(), number(), number()
  if share >= 0 and not is_late then
    redis.call('HSET', KEYS[3], name, ARGV[4] .. ' ' .. text(now - age) .. ' ' .. share)
    redis.call('PEXPIRE', KEYS[3], DAY_MS)
  end
  return name, share >= 0
end

local function load_members()
  local members, all = {}, redis.call('HGETALL', KEYS[3])
  for each = 1, #all, 2 do
    local till, born, share = string.match(all[each + 1], '^(%S+) (%S+) (%S+)$')
    if tonumber(till) < now then
      redis.call('HDEL', KEYS[3], all[each])
    else
      members[#members + 1] = { born = tonumber(born), share = tonumber(share) }
    end
  end
  return members
end

-- How many calls are kept free for absent members, because they may be alone.
local function kept_for_absent(window, members)
  local present = 0
  for _, member in ipairs(members) do
    if member.born + window.span + settling <= now then
      present = present + member.share
    end
  end
  return math.floor(window.most * math.max(0, 1 - present) + 0.000001)
end

-- The urgent calls of other processes that wait, and when they ask again at the latest.
local function load_urgent(window)
  local key = window.key .. ':urgent'
  redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now))
  window.urgent = redis.call('ZCARD', key)
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  window.urgent_until = tonumber(last[2] or 0)
end

-- How much room is kept free for calls that have waited longer than `who`. Each waiting call has an entry: since when it
-- has waited, until when it is expected to ask again, and how many calls it counts as.
local function load_earlier(window, who)
  local waits, others, mine = redis.call('HGETALL', window.key .. ':waits'), {}, nil
  for each = 1, #waits, 2 do
    local from, till, count = string.match(waits[each + 1], '^(%S+) (%S+) (%S+)$')
    if tonumber(till) < now then
      redis.call('HDEL', window.key .. ':waits', waits[each])
    elseif waits[each] == who then
      mine = tonumber(from)
    else
      others[#others + 1] = { name = waits[each], from = tonumber(from), count = tonumber(count) }
    end
  end
  window.waits_since, window.earlier = mine or now, 0
  for _, other in ipairs(others) do
    local is_earlier = other.from < window.waits_since or other.from == window.waits_since and other.name < who
    window.earlier = window.earlier + (is_earlier and other.count or 0)
  end
end

-- The first of the waiting calls keeps its room in the windows that it shares, if nothing else delays it.
local function keep_room(who, is_waiting, is_next, till)
  for index = alone + 1, #windows do
    local window = windows[index]
    local key = window.key .. ':waits'
    if is_waiting then
      -- After a call was admitted, the next one has waited since now.
      local from = is_next and now or window.waits_since
      redis.call('HSET', key, who, text(from) .. ' ' .. text(till) .. ' ' .. window.count)
      redis.call('PEXPIRE', key, milliseconds(PATIENCE + GRACE))
    else
      redis.call('HDEL', key, who)
    end
  end
end

-- A window has entries for each permit, as many as the calls that it counts as, each with the time until which it takes a
-- place. After that, they are kept for one span, for answers that report how many calls were left.
local function load(index, window)
  redis.call('ZREMRANGEBYSCORE', window.key, '-inf', text(now - window.span))
  redis.call('ZREMRANGEBYSCORE', window.key, text(now + horizon + window.span + 1000000), '+inf')
  window.shut = shut_until(window.key .. ':shut', longest_shut)
  window.room = window.most
  window.urgent, window.urgent_until, window.earlier = 0, 0, 0
  if index > alone then
    load_urgent(window)
  end
end

local function load_all()
  for index, window in ipairs(windows) do
    load(index, window)
  end
end

-- The entries of a permit.
local function entries(window, id)
  local names = { id }
  for each = 2, window.count do
    names[each] = id .. '#' .. each
  end
  return names
end

-- An entry takes a place until a span after `from`.
local function log(window, id, from)
  redis.call('ZADD', window.key, text(from + window.span), id)
  redis.call('PEXPIRE', window.key, milliseconds(horizon + 2 * window.span))
end

-- A permit takes its places until a span after `from`.
local function log_permit(window, id, from)
  for _, name in ipairs(entries(window, id)) do
    log(window, name, from)
  end
end

-- From when on at most `stay` places are taken.
local function taken_until(window, stay)
  local in_the_way = redis.call('ZREVRANGE', window.key, stay, stay, 'WITHSCORES')
  return math.max(window.shut, tonumber(in_the_way[2] or 0))
end

-- From when on there is room for one more call, if room for earlier calls is kept free; nil if that is not known.
local function free_at(window, urgent)
  if window.room < window.count then
    return nil
  end
  local stay = window.room - window.count
  local kept = urgent and 0 or window.urgent + window.earlier
  if kept <= stay then
    return taken_until(window, stay - kept)
  end
  -- It is known when the urgent calls ask again, but not when other waiting calls are admitted.
  return window.earlier == 0 and math.max(window.urgent_until, taken_until(window, stay)) or nil
end

-- When to ask again for room that is free at `free` at the latest: a permit frees its place earlier when its call ends.
local function ask_again_at(free, window)
  if not free then
    return now + SOON
  end
  if window and free > now + window.span + settling then
    return math.max(free - lease, now + SOON)
  end
  return free
end

-- The number of remaining calls by a count, taken at `moment`, of the calls of one span; the least of all windows, and
-- its window.
local function tightest(moment)
  local least, which = nil, nil
  for index = 1, own do
    local left = math.max(0, windows[index].most - redis.call('ZCOUNT', windows[index].key, '(' .. text(moment), '+inf'))
    if not least or left < least then
      least, which = left, windows[index]
    end
  end
  return least, which
end

-- When the next permit may be used, and the window that delays it until then (0 for none).
local function next_free(urgent, cancels)
  local at, binding = math.max(now, shut_until(gate(cancels), LONGEST_REFUSAL)), 0
  for index, window in ipairs(windows) do
    local free = free_at(window, urgent)
    if not free then
      return nil, index
    end
    free = math.max(free, since + settling + window.span > now and since + settling + window.span or 0)
    if free > at then
      at, binding = free, index
    end
  end
  return at, binding
end

-- Shows other processes the urgent calls that have to ask again.
local function expect(name, calls, till)
  for index = alone + 1, #windows do
    local key, most, count = windows[index].key .. ':urgent', windows[index].most, calls * windows[index].count
    for each = 1, most do
      redis.call('ZREM', key, name .. each)
    end
    for each = 1, math.min(count, most) do
      redis.call('ZADD', key, text(till + GRACE), name .. each)
      redis.call('PEXPIRE', key, milliseconds(till + GRACE - now))
    end
  end
end

local acts = {}

function acts.hello()
  return { now, since }
end

-- The clock is known to have been set forward: what was counted by it is void.
function acts.forget()
  if number() == since then
    since = now
    redis.call('HSET', KEYS[1], 'since', text(since))
  end
  return { now, since }
end

-- Notes the outcome of permits, and grants others. The answer: now, since when permits are known, whether the question
-- came too late, how long to wait for the next permit, the window that delays it (0 for none), how many calls are left,
-- and how far ahead each permit is.
function acts.ask()
  local name, has_share = register()
  for _ = 1, number() do
    local id = name .. word()
    for _, window in ipairs(windows) do
      for _, entry in ipairs(entries(window, id)) do
        redis.call('ZREM', window.key, entry)
      end
    end
  end
  for _ = 1, number() do
    local id, age = name .. word(), number()
    for _, window in ipairs(windows) do
      log_permit(window, id, now - age)
    end
  end
  local urgent, cancels, booking, first, count = word() == '1', word() == '1', number(), number(), number()
  local answer = { now, since, is_late and 1 or 0, 0, 0, 0 }
  if is_late or #windows == 0 then
    return answer
  end
  local who = name .. ARGV[12]
  load_all()
  for index = alone + 1, #windows do
    load_earlier(windows[index], who)
  end
  if has_share then
    local members = load_members()
    for _, window in ipairs(windows) do
      window.room = window.most - kept_for_absent(window, members)
    end
  end
  for granted = 1, count do
    local at, binding = next_free(urgent, cancels)
    if not at or at > now + booking then
      answer[4], answer[5] = ask_again_at(at, windows[binding]) - now, binding
      break
    end
    for _, window in ipairs(windows) do
      log_permit(window, name .. text(first + granted - 1), at + lease)
    end
    answer[6 + granted] = at - now
  end
  answer[6] = tightest(now) or 0
  -- No room is kept for a call that does not wait.
  if booking > 0 then
    local granted = #answer - 6
    keep_room(who, count > granted and answer[5] > alone, granted > 0, now + math.min(answer[4], PATIENCE) + GRACE)
  end
  if urgent and count > 0 then
    -- A caller that does not wait is not expected again.
    expect(name, booking > 0 and count - (#answer - 6) or 0, now + answer[4])
  end
  return answer
end

-- A process that was alone returns: for each window, how many calls it made by now, and how many are in flight.
function acts.join()
  local name = register()
  local under_way_for = number()
  for _, window in ipairs(windows) do
    local made, under_way = number(), number()
    for each = 1, made + under_way do
      log(window, name .. 'alone' .. text(now) .. ':' .. each, each > made and now + under_way_for or now)
    end
  end
  return { now, since, is_late and 1 or 0 }
end

-- One call was too many: for a while, no call of the operation is admitted, or none from the address.
function acts.too_many()
  local asked_for, longest_pause = number(), number()
  local of_everything, cancels, refused_for = word() == '1', word() == '1', number()
  local shortest, longest = math.huge, 0
  for index = 1, own do
    shortest = math.min(shortest, windows[index].span)
  end
  local most = math.max(longest_pause, own > 0 and shortest or 0)
  for index = 1, own do
    local window = windows[index]
    local span = math.min(window.span, most)
    longest = math.max(longest, span)
    shut(window.key .. ':shut', math.max(span, cancels and 0 or asked_for), longest_shut)
  end
  if of_everything then
    shut(gate(false), math.max(longest, asked_for, refused_for), LONGEST_REFUSAL)
    shut(gate(true), math.max(longest, math.min(refused_for, longest_pause)), LONGEST_REFUSAL)
  end
  return { now, since }
end

-- The answer to a call that was granted at a moment reported how many are left: others may have called.
function acts.remaining()
  local moment, remaining = number(), number()
  local left, window = tightest(moment)
  if window and remaining == 0 and left > 0 then
    shut(window.key .. ':shut', window.span, longest_shut)
  elseif window then
    for each = remaining + 1, left do
      log(window, 'strangers' .. text(now) .. ':' .. each, now)
    end
  end
  return { now, since }
end

-- The answer to a call that was granted at a moment reported how much is left of one window, and when that is free.
function acts.pool_report()
  local moment, window, remaining, reset = number(), windows[number()], number(), number()
  local used = redis.call('ZCOUNT', window.key, '(' .. text(moment), '+inf')
  local from = now
  if reset >= 0 and reset < window.span then
    from = now + reset - window.span
  end
  for each = remaining + 1, math.max(0, window.most - used) do
    log(window, 'strangers' .. text(now) .. ':' .. each, from)
  end
  return { now, since }
end

return acts[ARGV[1]]()
