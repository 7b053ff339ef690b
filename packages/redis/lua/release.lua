-- Gives up what an owner has: its hold, or its place in line.
-- ARGV    1 owner, 2 terms, 3 kind of waiter: see queue.lua
-- Returns 1 when this freed a hold, else 0.
local owner = ARGV[1]
local value = redis.pcall('GET', KEYS[1])
local freed, line = 0, false

-- The uncontended path: GET, DEL, EXISTS. Nothing that it does not need is defined before it.
if value == owner then
  redis.call('DEL', KEYS[1])
  if redis.call('EXISTS', KEYS[3]) == 0 then return 1 end
  value, freed, line = false, 1, true
end

-- include token
-- include queue
local _, _, process, channel = readTerms(ARGV[2])
local me, now = waiterOf(ARGV[3], process, owner), clock()
if type(value) == 'table' then value = holder() end
if value == SHARED then
  local expiry = redis.call('ZSCORE', KEYS[5], owner)
  if expiry then
    if tonumber(expiry) > now then freed = 1 end
    redis.call('ZREM', KEYS[5], owner)
    forgetShare(owner)
    settleShares()
    value = holder()
  end
end

line = line or redis.call('EXISTS', KEYS[3]) == 1
-- A waiter that was granted has left the line already. Without a line this changes nothing, but a
-- replica refuses it.
if freed == 0 then giveUpPlace(me) end
if line then wakeHead(me, purge(now, value), channel) end
return freed
