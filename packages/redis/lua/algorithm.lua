-- The algorithm: who holds a key, who may, and which waiter goes next.
-- It is included where a script says "include algorithm", behind token.lua.
-- KEYS, the same for all of them, all in one Cluster slot:
--   1 key       string: the owner of an exclusive holder, or SHARED while sharers hold it
--   2 token     string: the highest fencing token minted or received, see token.lua
--   3 queue     sorted set: waiter by position in the queue
--   4 deadlines sorted set: waiter by the ms at which its position expires
--   5 shared    sorted set: owner by the ms at which its share expires
--   6 tokens    hash: the fencing token of each sharer by owner, and its permits, "*" for any
--               number, by its owner after a line feed
--   7 terms     hash: by waiter, on which terms it takes an assignment: "<when it sent its last
--               attempt, by its own clock> <ttl (ms)> <the token must exceed this> <token
--               retention (ms)>". A waiter without terms is only notified
-- A waiter is "<kind> <process> <owner>". Its kind is "x", or "s" and the permits it wants. Its
-- process begins with the ms that its positions last, and a dash. In a Cluster, "c." follows.

local SHARED = '<shared>'

local function waiterOf(kind, process, owner)
  return kind .. ' ' .. process .. ' ' .. owner
end

-- The owner that has the key, SHARED, or false. A foreign holder may keep a value of another type
-- there. Then the key is busy, and that is no error.
local function holder()
  local value = redis.pcall('GET', KEYS[1])
  if type(value) ~= 'table' then return value end
  if string.find(value.err, 'WRONGTYPE', 1, true) then return '' end
  -- The server had another reason to refuse. It refuses again, and that ends the script.
  return redis.call('GET', KEYS[1])
end

-- Before an answer that needs no write. A replica may be behind, so it must not answer: it refuses
-- this write, which changes nothing.
local function refuseOnReplica()
  redis.call('ZREM', KEYS[4], '')
end

-- Makes a key last for `span` ms at least. Never shorter: other services may have other settings.
local function keep(key, span)
  if redis.call('PTTL', key) < span then redis.call('PEXPIRE', key, span) end
end

local function headOfQueue()
  return redis.call('ZRANGE', KEYS[3], 0, 0)[1]
end

local function leaveQueue(waiter)
  redis.call('ZREM', KEYS[3], waiter)
  redis.call('ZREM', KEYS[4], waiter)
  redis.call('HDEL', KEYS[7], waiter)
end

-- Whether there is a new head that does not know when to look.
local newHead = false

local function giveUpPlace(waiter)
  newHead = newHead or headOfQueue() == waiter
  leaveQueue(waiter)
end

-- Makes the key say SHARED until the last share expires. Without shares, frees the key.
local function settleShares()
  local last = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
  if not last[1] then return redis.call('DEL', KEYS[1], KEYS[5], KEYS[6]) end
  redis.call('SET', KEYS[1], SHARED, 'PXAT', last[2])
  redis.call('PEXPIREAT', KEYS[5], last[2])
  redis.call('PEXPIREAT', KEYS[6], last[2])
end

-- Drops what has expired: positions anywhere in the queue, and shares. Returns `holder()` after
-- that.
local function purge(now, value)
  local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)
  for _, waiter in ipairs(gone) do giveUpPlace(waiter) end
  if value ~= SHARED then return value end
  gone = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now)
  if not gone[1] then return value end
  for _, owner in ipairs(gone) do redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner) end
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
  settleShares()
  return holder()
end

-- Whether the holders leave room for one more of this kind.
local function admits(value, kind)
  if not value then return true end
  if value ~= SHARED or kind == 'x' then return false end
  local permits = tonumber(string.sub(kind, 2))
  return not permits or redis.call('ZCARD', KEYS[5]) < permits
end

-- Whether a message reached the process. In a Cluster the process may listen at another server,
-- which is not counted.
local function tell(process, channel, message)
  return redis.call('PUBLISH', channel .. process, message) > 0 or string.find(process, '^%d+%-c%.') ~= nil
end

-- Gives a free key to this waiter, on its terms, and notifies it: a newline, "<token> <ttl> <when
-- it sent that attempt> <owner>". Its lease counts from that attempt, as the message may be late.
-- The hold lasts no longer than the position would have, so a waiter that is gone costs no more. A
-- renewal or a repeat gives it the whole ttl. Returns how long it lasts, in ms; nil if the waiter
-- must try for itself; false if its process is gone, and the key is still free.
local function assign(waiter, process, owner, channel)
  local terms = redis.call('HGET', KEYS[7], waiter)
  if not terms then return nil end
  local sentAt, ttl, above, retention = string.match(terms, '^(%d+) (%d+) (%d+) (%d+)$')
  local micros = tonumber(clockText)
  local token = count(KEYS[2], math.max(micros, above + 1), 1, retention, micros)
  if not token then return nil end
  -- Lua would write 14 digits of a number.
  if type(token) == 'number' then token = string.format('%.0f', token) end
  -- The deadline may be from before a step of the clock, or lost.
  local deadline = redis.call('ZSCORE', KEYS[4], waiter)
  local left = deadline and deadline - math.floor(micros / 1000) or math.huge
  local span = math.max(1, math.min(tonumber(ttl), left, tonumber(string.match(process, '^%d+'))))
  redis.call('SET', KEYS[1], owner, 'PX', span)
  if tell(process, channel, string.char(10) .. token .. ' ' .. ttl .. ' ' .. sentAt .. ' ' .. owner) then
    leaveQueue(waiter)
    return span
  end
  redis.call('DEL', KEYS[1])
  return false
end

-- Gives the key to the head of the queue if it is free, or notifies a head that can proceed or is
-- new. Every script that writes calls this. If the message reaches no process, the head's process
-- is gone, and the head loses its position. Returns the head, whether it was notified, and
-- `holder()`.
local function wakeHead(me, value, channel)
  while true do
    local head = headOfQueue()
    if not head or head == me then return head, false, value end
    local kind, process, owner = string.match(head, '^(%S+) (%S+) (.*)$')
    if not newHead and not admits(value, kind) then return head, false, value end
    local span
    if not value and kind == 'x' then span = assign(head, process, owner, channel) end
    if span then
      value = owner
      -- The next head retries after a third of its position's lifetime, or when notified.
      newHead = span < tonumber(string.match(process, '^%d+')) / 3
    elseif span == nil and tell(process, channel, owner) then
      newHead = false
      return head, true, value
    else
      newHead = true
      leaveQueue(head)
    end
  end
end
