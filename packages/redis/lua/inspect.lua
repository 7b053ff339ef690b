-- Returns which owners hold the key, and which claims wait. Changes nothing.
-- KEYS    see algorithm.lua
-- ARGV    1 the pattern of another library's owners, or "": see ours.lua
-- Returns the number of waiters, the first 100 of them as a list, then for each holder: owner,
--         "exclusive" or "shared", permits, "*" or "", token or "", ms left.

-- include token
-- include ours
-- A replica may be behind, so it must not answer: it refuses this write, which changes nothing.
redis.call('ZREM', KEYS[4], '')
local now = clock()
local queue, count = waitersIn(KEYS[3], KEYS[4], now, 100)
local reply = { count, queue }
if textAt(KEYS[1]) == SHARED then
  local shares = redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
  for i = 1, #shares, 2 do
    local token = redis.call('HGET', KEYS[6], shares[i]) or ''
    local permits = redis.call('HGET', KEYS[6], string.char(10) .. shares[i]) or ''
    for _, part in ipairs({ shares[i], 'shared', permits, token, shares[i + 1] - now }) do table.insert(reply, part) end
  end
else
  local owner, token, left = ownerIn(KEYS[1], KEYS[2], ARGV[1])
  if owner then
    for _, part in ipairs({ owner, 'exclusive', '', token, left }) do table.insert(reply, part) end
  end
end
return reply
