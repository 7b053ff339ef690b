-- Takes a share of the key, turns this owner's exclusive hold into one, or takes a position.
-- ARGV    1 owner, 2 ttl (ms), 3 terms, see queue.lua, 4 the token must exceed this,
--         5 token retention (ms),
--         6 permits, "*" for any number,
--         7 and on: other waiters of this process on this key, to be kept in the queue, and their
--         terms
-- Returns the fencing token. If busy, minus the ms until the next attempt. A list of that and of
--         owners that must look, if there are any.

-- include token
-- include algorithm
-- include queue
local owner, ttl = ARGV[1], tonumber(ARGV[2])
local waiterTtl, inQueue, process, channel = readTerms(ARGV[3])
local above, retention, permits = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local me = waiterOf('s' .. permits, process, owner)

local now, micros = clock()
-- include restart-guard
local value = purge(now, holder())

local function share(token)
  redis.call('ZADD', KEYS[5], now + ttl, owner)
  redis.call('HSET', KEYS[6], owner, token, string.char(10) .. owner, permits)
  settleShares()
  keep(KEYS[2], tonumber(retention))
  keepPlaces(7, now, waiterTtl)
  concernsHead(ttl, waiterTtl)
  wakeHead(me, SHARED, channel)
  return answer(token)
end

if value == owner then
  redis.call('DEL', KEYS[5], KEYS[6])
  local counter = redis.call('GET', KEYS[2])
  return share(counter and tokenOf(counter) or mint(KEYS[2], above, retention, micros))
end
if value == SHARED and redis.call('ZSCORE', KEYS[5], owner) then
  return share(redis.call('HGET', KEYS[6], owner) or mint(KEYS[2], above, retention, micros))
end

-- Before the decision: a head whose process is gone must not keep the key.
local head, told
head, told, value = wakeHead(me, value, channel)
if admits(value, 's' .. permits) and (head or me) == me then
  -- A key that expired as a whole leaves its companions for less than a millisecond.
  if not value then redis.call('DEL', KEYS[5], KEYS[6]) end
  leaveQueue(me)
  return share(mint(KEYS[2], above, retention, micros))
end

local new = false
if inQueue then
  new = stayInQueue(me, now, waiterTtl, '')
  keepPlaces(7, now, waiterTtl)
else
  refuseOnReplica()
end
if told and not new then limitDeadlines(head, now) end
return answer(busy(me, head, value, now, waiterTtl))
