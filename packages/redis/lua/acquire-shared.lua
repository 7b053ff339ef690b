-- Takes a share of the key, turns this owner's exclusive hold into one, or takes a place in line.
-- ARGV    1 owner, 2 ttl (ms), 3 terms, see queue.lua, 4 the token must exceed this,
--         5 token retention (ms),
--         6 permits, "*" for any number, after "-" where other claims may have another number,
--         7 and on: other waiters of this process on this key, to be kept in line, and their terms
-- Returns the fencing token. If busy, minus the ms until the next attempt. A list of that and of
--         owners that must look, if there are any. Error "LOCKS_PERMITS <n>" when a claim that
--         fixes another number shares the key, or waits to.

-- include token
-- include queue
local owner, ttl = ARGV[1], tonumber(ARGV[2])
local waiterTtl, inLine, process, channel = readTerms(ARGV[3])
local above, retention = tonumber(ARGV[4]), ARGV[5]
local resize, permits = string.match(ARGV[6], '^(%-?)(.*)$')
resize = resize == '-'
local me = waiterOf('s' .. permits, process, owner)

local now, micros = clock()
-- include restart-guard
local value = purge(now, holder())

-- Whether a claim that fixes the number shares the key, or another one waits to.
local function isFixed()
  if value == SHARED then
    for _, sharer in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do
      if not redis.call('HGET', KEYS[6], string.char(10) .. sharer) then return true end
    end
  end
  for _, waiter in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
    local shares = waiter ~= me and string.sub(waiter, 1, 1) == 's'
    if shares and redis.call('HGET', KEYS[8], waiter) ~= '-' then return true end
  end
  return false
end

local function fixPermits(span)
  if not resize then redis.call('SET', KEYS[7], permits, 'PX', span) end
end

local function share(token)
  redis.call('ZADD', KEYS[5], now + ttl, owner)
  redis.call('HSET', KEYS[6], owner, token)
  if resize then redis.call('HSET', KEYS[6], string.char(10) .. owner, '') end
  -- The number of permits lasts as long as the last share, or as a place in line.
  fixPermits(math.max(settleShares() - now, redis.call('PTTL', KEYS[3])))
  keep(KEYS[2], tonumber(retention))
  keepPlaces(7, now, waiterTtl)
  concernsHead(ttl, waiterTtl)
  wakeHead(me, SHARED, channel)
  return answer(token)
end

local fixed = redis.call('GET', KEYS[7])
if fixed and fixed ~= permits and not resize then
  refuseOnReplica()
  if isFixed() then return redis.error_reply('LOCKS_PERMITS ' .. fixed) end
  redis.call('DEL', KEYS[7])
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
  leaveLine(me)
  return share(mint(KEYS[2], above, retention, micros))
end

local new = false
if inLine then
  new = stayInLine(me, now, waiterTtl, resize and '-' or '')
  keepPlaces(7, now, waiterTtl)
  fixPermits(math.max(waiterTtl, redis.call('PTTL', KEYS[7])))
else
  refuseOnReplica()
end
if told and not new then limitDeadlines(head, now) end
return answer(busy(me, head, value, now, waiterTtl))
