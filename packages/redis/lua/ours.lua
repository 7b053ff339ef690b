-- Finds what below the prefix is ours, as an application may have other keys there.
-- It is included where a script says "include ours". `foreign` is a pattern that the values of
-- another library match, or "".

local SHARED = '<shared>'
local WAITER = '^[xs]%S* %d+%-%S+ .'

-- Whether the key of this reply has another type than ours.
local function isForeign(reply)
  return type(reply) == 'table' and string.find(reply.err, 'WRONGTYPE', 1, true)
end

-- What `key` has as a string, or false.
local function textAt(key)
  local value = redis.pcall('GET', key)
  if type(value) ~= 'table' then return value end
  -- Another refusal comes again, and ends the script.
  return not isForeign(value) and redis.call('GET', key)
end

-- The owner that holds `key` exclusively, its token or "", and the ms left. Each hold of ours has
-- an expiry and a counter, and its value is "<label>/<unique>" as text without spaces.
local function ownerIn(key, counter, foreign)
  local value, left = textAt(key), redis.call('PTTL', key)
  if not value or #value > 250 or left < 0 then return nil end
  local last = textAt(counter)
  local token = last and string.match(last, '^(%d+) ?%d*$')
  local ours = token and string.find(value, '^[!-.0-~]+/[!-~]+$')
  if ours or (foreign ~= '' and string.find(value, foreign)) then return value, ours and token or '', left end
end

-- The first `most` claims in the queue, and how many there are.
local function waitersIn(queue, deadlines, now, most)
  local waiters = {}
  if isForeign(redis.pcall('ZCARD', queue)) then return waiters, 0 end
  local first = redis.call('ZRANGE', queue, 0, most - 1)
  if not string.find(first[1] or '', WAITER) then return waiters, 0 end
  for i, deadline in ipairs(redis.call('ZMSCORE', deadlines, unpack(first))) do
    local lasts = deadline and tonumber(deadline) > now
    if lasts and string.find(first[i], WAITER) then table.insert(waiters, first[i]) end
  end
  return waiters, redis.call('ZCOUNT', deadlines, '(' .. string.format('%.0f', now), '+inf')
end
