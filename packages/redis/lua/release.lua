-- Gives up what an owner has: its hold, or its position in the queue.
-- ARGV    1 owner, 2 terms, see queue.lua, 3 kind of waiter, see algorithm.lua
-- Returns 1 when this freed a hold, else 0.
local owner = ARGV[1]
local value = redis.pcall('GET', KEYS[1])
local freed, queue = 0, false

-- The uncontended path: GET, DEL, EXISTS. Nothing that it does not need is defined before it.
if value == owner then
  redis.call('DEL', KEYS[1])
  if redis.call('EXISTS', KEYS[3]) == 0 then return 1 end
  value, freed, queue = false, 1, true
end

-- include token
-- include algorithm
local process, channel = string.match(ARGV[2], '^%d+ %d (%S+) (.*)$')
local me, now = waiterOf(ARGV[3], process, owner), clock()
if type(value) == 'table' then value = holder() end
if value == SHARED then
  local expiry = redis.call('ZSCORE', KEYS[5], owner)
  if expiry then
    if tonumber(expiry) > now then freed = 1 end
    redis.call('ZREM', KEYS[5], owner)
    redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner)
    settleShares()
    value = holder()
  end
end

queue = queue or redis.call('EXISTS', KEYS[3]) == 1
-- A waiter that was granted has left the queue already. Without a queue this changes nothing, but a
-- replica refuses it.
if freed == 0 then giveUpPlace(me) end
if queue then wakeHead(me, purge(now, value), channel) end
return freed
