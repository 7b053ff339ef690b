-- How attempts take and keep positions in the queue.
-- It is included where a script says "include queue", behind algorithm.lua.
-- The terms of a provider are one argument, as each argument costs time: "<ttl of a position (ms)>
-- <"1" to take a position in the queue> <process> <channel prefix>".

local function readTerms(terms)
  local waiterTtl, inQueue, process, channel = string.match(terms, '^(%d+) (%d) (%S+) (.*)$')
  return tonumber(waiterTtl), inQueue == '1', process, channel
end

-- The token in the value of a counter, as text.
local function tokenOf(counter)
  return string.match(counter, '^%d+')
end

-- Whether the head must be notified of a grant. It must if it is new, or if the hold may end before
-- the head repeats its attempt.
local function concernsHead(ttl, waiterTtl)
  newHead = newHead or ttl < waiterTtl / 3
  return newHead
end

local function keepQueue(waiterTtl)
  if redis.call('PTTL', KEYS[3]) >= waiterTtl then return end
  redis.call('PEXPIRE', KEYS[3], waiterTtl)
  redis.call('PEXPIRE', KEYS[4], waiterTtl)
end

-- Takes or keeps the position of the waiter. Returns whether it is new.
local function stayInQueue(waiter, now, waiterTtl, terms)
  local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  local added = redis.call('ZADD', KEYS[3], 'NX', (last[2] or 0) + 1, waiter)
  redis.call('ZADD', KEYS[4], now + waiterTtl, waiter)
  keepQueue(waiterTtl)
  if terms ~= '' then
    redis.call('HSET', KEYS[7], waiter, terms)
    keep(KEYS[7], waiterTtl)
  end
  return added == 1
end

-- Corrects the deadline of a waiter that is later than its positions last. Returns whether it was.
local function limitDeadline(waiter, now)
  local waiterTtl = tonumber(string.match(waiter, '^%S+ (%d+)%-'))
  return waiterTtl and redis.call('ZADD', KEYS[4], 'XX', 'LT', 'CH', now + waiterTtl, waiter) == 1
end

-- A notified head that does not retry loses its position at its deadline. If the clock was
-- set back, that deadline could be hours away.
local function limitDeadlines(head, now)
  if not limitDeadline(head, now) then return end
  for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do limitDeadline(waiter, now) end
end

-- Keeps the positions of the other waiters of this process, with the same call. From `first` on,
-- ARGV has each waiter and its terms. The answer names the waiters that must look: the head, as a
-- holder may expire, and each that is not in the queue, as it was assigned the key or has lost its
-- position.
local mustLook = {}

local function keepPlaces(first, now, waiterTtl)
  if #ARGV < first then return end
  local head = headOfQueue()
  local waiters, kept, terms = {}, {}, {}
  for i = first, #ARGV, 2 do table.insert(waiters, ARGV[i]) end
  for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(waiters))) do
    local waiter, own = waiters[i], ARGV[first + 2 * i - 1]
    if deadline then
      table.insert(kept, now + waiterTtl)
      table.insert(kept, waiter)
      if own ~= '' then
        table.insert(terms, waiter)
        table.insert(terms, own)
      end
    end
    if not deadline or waiter == head then
      table.insert(mustLook, string.match(waiter, '^%S+ %S+ (.*)$'))
    end
  end
  if not kept[1] then return end
  redis.call('ZADD', KEYS[4], 'XX', unpack(kept))
  keepQueue(waiterTtl)
  if terms[1] then
    redis.call('HSET', KEYS[7], unpack(terms))
    keep(KEYS[7], waiterTtl)
  end
end

-- The answer of an attempt, and behind it the owners that must look.
local function answer(reply)
  if not mustLook[1] then return reply end
  return { reply, unpack(mustLook) }
end

-- Minus the ms until the next attempt: a busy answer is negative, a token is not. The head looks
-- when a holder would expire. The other waiters only keep their positions.
local function busy(me, head, value, now, waiterTtl)
  local wait = math.floor(waiterTtl / 3)
  if not head or head == me then
    local left = redis.call('PTTL', KEYS[1])
    if value == SHARED then
      local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
      if first[2] then left = first[2] - now end
    end
    if left >= 0 then wait = math.min(wait, left + 1) end
  end
  return -math.max(wait, 1)
end
