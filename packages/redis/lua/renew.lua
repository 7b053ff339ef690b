-- Restarts the ttl of a hold.
-- ARGV    1 owner, 2 ttl (ms), 3 "" or the token that this lease gets, 4 token retention (ms),
--         5 channel prefix
-- Returns 1, or 0 when this owner does not hold the key or its own token is higher.

-- include token
-- include algorithm
local owner, ttl, raised, retention = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local now, micros = clock()
local value = holder()

local function renew()
  if value == owner then
    local own = raised and redis.call('GET', KEYS[2])
    if own and tonumber(string.match(own, '^%d+')) > raised then return 0 end
    redis.call('PEXPIRE', KEYS[1], ttl)
  elseif value == SHARED then
    local expiry = redis.call('ZSCORE', KEYS[5], owner)
    if not expiry or tonumber(expiry) <= now then return 0 end
    if raised and tonumber(redis.call('HGET', KEYS[6], owner) or 0) > raised then return 0 end
    -- A full server refuses a first write that may need memory, and none after another one.
    redis.call('PEXPIRE', KEYS[1], ttl)
    if raised then redis.call('HSET', KEYS[6], owner, ARGV[3]) end
    redis.call('ZADD', KEYS[5], now + ttl, owner)
    settleShares()
  else
    return 0
  end
  if raised then count(KEYS[2], raised, 0, retention, micros) else keep(KEYS[2], tonumber(retention)) end
  return 1
end

local queue = redis.call('EXISTS', KEYS[3]) == 1
local before = queue and redis.call('PTTL', KEYS[1])
local renewed = renew()
if renewed == 0 then refuseOnReplica() end
if queue then
  value = purge(now, value)
  -- A head that expects a later end of the hold must retry.
  newHead = newHead or redis.call('PTTL', KEYS[1]) < before
  wakeHead('', value, ARGV[5])
end
return renewed
