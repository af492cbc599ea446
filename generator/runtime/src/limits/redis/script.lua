-- The limits of a fleet: who may call, and when. Times are microseconds of the server's clock.
--
-- KEYS  1  since when, and by which run of the server, everything was logged
--       2  until when nothing goes from the address
--       3  and on: the windows, those of the operation itself first
-- ARGV  1  what to do
--       2  the run of the server
--       3  how far ahead of its time a call may be booked at most
--       4  how many windows are the operation's own
--       5  and on: of each window the most calls and its span; then what is to be done takes more

local DAY_MS = 86400000
-- For how long an urgent call that was told to come again is expected, beyond the time it was told.
local GRACE = 100000

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local ahead = tonumber(ARGV[3])
local own = tonumber(ARGV[4])

-- Numbers as long as these lose digits otherwise.
local function text(number)
  return string.format('%.0f', number)
end

local function milliseconds(duration)
  return text(math.max(1, math.ceil(duration / 1000)))
end

local windows = {}
for index = 3, #KEYS do
  local place = 5 + (index - 3) * 2
  windows[index - 2] = { key = KEYS[index], most = tonumber(ARGV[place]), span = tonumber(ARGV[place + 1]) }
end
local place = 5 + #windows * 2
local function word()
  place = place + 1
  return ARGV[place - 1]
end
local function number()
  return tonumber(word())
end

-- From when on the log is whole: a server that was restarted, flushed or replaced has forgotten calls.
local function whole_since()
  local known = redis.call('GET', KEYS[1])
  if known then
    local run, moment = string.match(known, '^(%S+) (%d+)$')
    moment = tonumber(moment)
    if run == ARGV[2] and moment <= now then
      redis.call('PEXPIRE', KEYS[1], DAY_MS)
      return moment
    end
  end
  redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. text(now), 'PX', DAY_MS)
  return now
end

-- What others waiting that go first, by when they come again at the latest.
local function load_urgent(window)
  local key = window.key .. ':urgent'
  redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now))
  window.urgent = redis.call('ZCARD', key)
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  window.urgent_until = tonumber(last[2] or 0)
end

local function load(index, window)
  window.log = redis.call('LRANGE', window.key, 0, -1)
  for each, moment in ipairs(window.log) do
    window.log[each] = tonumber(moment)
  end
  local last = window.log[#window.log]
  if last and last > now + ahead then
    -- The clock went back. The calls were made by now, at the latest.
    redis.call('DEL', window.key)
    for each, moment in ipairs(window.log) do
      window.log[each] = math.min(moment, now)
      redis.call('RPUSH', window.key, text(window.log[each]))
    end
    redis.call('PEXPIRE', window.key, milliseconds(window.span))
  end
  window.shut = tonumber(redis.call('GET', window.key .. ':shut') or 0)
  window.urgent, window.urgent_until = 0, 0
  if index > own then
    load_urgent(window)
  end
end

local function log(window, moment)
  window.log[#window.log + 1] = moment
  redis.call('RPUSH', window.key, text(moment))
  redis.call('LTRIM', window.key, -window.most, -1)
  redis.call('PEXPIRE', window.key, milliseconds(moment - now + window.span))
end

local function shut(key, duration)
  local till = now + duration
  if till > tonumber(redis.call('GET', key) or 0) then
    redis.call('SET', key, text(till), 'PX', milliseconds(duration))
  end
end

-- From when on there is room for one more, if so many are kept free.
local function free_at(window, kept)
  local most = window.most - kept
  if most < 1 then
    return window.urgent_until
  end
  local last = window.log[#window.log] or 0
  local in_the_way = window.log[#window.log - most + 1]
  return math.max(last, window.shut, in_the_way and in_the_way + window.span or 0)
end

-- How many more calls someone knows of who counts, at `moment`, the calls of one span before it.
local function left_at(window, moment)
  local counted = 0
  for _, made in ipairs(window.log) do
    if made + window.span > moment then
      counted = counted + 1
    end
  end
  return math.max(0, window.most - counted)
end

local function tightest(moment)
  local least, which = nil, nil
  for index = 1, own do
    local left = left_at(windows[index], moment)
    if not least or left < least then
      least, which = left, windows[index]
    end
  end
  return least, which
end

local acts = {}

-- Books calls. The answer: now, how long to wait for the next one, the window that is in the way (0 for none), how many
-- are left, and of each booked call how far ahead it is.
function acts.ask()
  local since = whole_since()
  local urgent, name, count, booking = word() == '1', word(), number(), number()
  for _ = 1, number() do
    local moment = word()
    for _, window in ipairs(windows) do
      redis.call('LREM', window.key, 1, moment)
    end
  end
  for index, window in ipairs(windows) do
    load(index, window)
  end
  local gate = tonumber(redis.call('GET', KEYS[2]) or 0)
  local answer = { now, 0, 0, 0 }
  for booked = 1, count do
    local at, binding = math.max(now, gate), 0
    for index, window in ipairs(windows) do
      local free = free_at(window, urgent and 0 or window.urgent)
      if since + window.span > now then
        free = math.max(free, since + window.span)
      end
      if free > at then
        at, binding = free, index
      end
    end
    if at > now + booking then
      answer[2], answer[3] = at - now, binding
      break
    end
    for _, window in ipairs(windows) do
      log(window, at)
    end
    answer[4 + booked] = at - now
  end
  answer[4] = tightest(now) or 0
  if urgent then
    local booked, expected = #answer - 4, text(now + answer[2] + GRACE)
    for index = own + 1, #windows do
      local key, most = windows[index].key .. ':urgent', windows[index].most
      for each = 1, most do
        redis.call('ZREM', key, name .. each)
      end
      -- A count of nothing is someone who asks and does not wait.
      for each = 1, booking > 0 and math.min(count - booked, most) or 0 do
        redis.call('ZADD', key, expected, name .. each)
        redis.call('PEXPIRE', key, milliseconds(answer[2] + GRACE))
      end
    end
  end
  return answer
end

-- One call was too many: nothing of the operation goes for a while, or nothing of the address.
function acts.too_many()
  local asked_for, of_everything = number(), word() == '1'
  local longest = asked_for
  for index = 1, own do
    local pause = math.max(windows[index].span, asked_for)
    shut(windows[index].key .. ':shut', pause)
    longest = math.max(longest, pause)
  end
  if of_everything then
    shut(KEYS[2], longest)
  end
  return { now }
end

-- The answer to a call that was counted at a moment said how many are left: others may have called.
function acts.remaining()
  local moment, remaining = number(), number()
  for index, window in ipairs(windows) do
    load(index, window)
  end
  local left, window = tightest(moment)
  if window and remaining == 0 and left > 0 then
    shut(window.key .. ':shut', window.span)
  elseif window then
    for _ = remaining + 1, left do
      log(window, math.max(now, window.log[#window.log] or 0))
    end
  end
  return { now }
end

-- Calls were made that were not asked for here: so many of each window, some time before now.
function acts.made()
  whole_since()
  for index, window in ipairs(windows) do
    load(index, window)
    for _ = 1, math.min(number(), window.most) do
      log(window, math.max(now, window.log[#window.log] or 0))
    end
  end
  return { now }
end

return acts[ARGV[1]]()
