-- Gives up what an owner has: its hold, or its place in line.
-- ARGV    1 owner, 2 this waiter, 3 channel prefix
-- Returns 1 when this freed a hold, else 0.
local owner = ARGV[1]
local value = redis.pcall('GET', KEYS[1])
local freed = 0

-- The uncontended path: GET, DEL, EXISTS. Nothing that it does not need is defined before it.
if value == owner then
  redis.call('DEL', KEYS[1])
  if redis.call('EXISTS', KEYS[3]) == 0 then return 1 end
  freed = 1
end

-- include token
-- include queue
local me = ARGV[2]
if value == SHARED then
  local expiry = redis.call('ZSCORE', KEYS[5], owner)
  if expiry then
    if tonumber(expiry) > clock() then freed = 1 end
    redis.call('ZREM', KEYS[5], owner)
    redis.call('HDEL', KEYS[6], owner)
    settleShares()
  end
end

local line = redis.call('EXISTS', KEYS[3]) == 1
if line then
  leaveLine(me)
  purge(clock(), holder())
  wakeHead(me, ARGV[3])
end
-- The number of permits is free again when nobody shares or waits.
if (line or value == SHARED) and redis.call('EXISTS', KEYS[3], KEYS[5]) == 0 then redis.call('DEL', KEYS[7]) end
return freed
