-- Tells which owners hold the key, and which claims wait. Changes nothing.
-- Returns the number of waiters, the first 100 of them as a list, then for each holder: owner,
--         "exclusive" or "shared", token or "", ms left.

-- include token
-- include queue
refuseOnReplica()
local now = clock()
local value = holder()
local line = {}
local first = redis.call('ZRANGE', KEYS[3], 0, 99)
if first[1] then
  for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(first))) do
    if deadline and tonumber(deadline) > now then table.insert(line, first[i]) end
  end
end
local reply = { redis.call('ZCOUNT', KEYS[4], '(' .. string.format('%.0f', now), '+inf'), line }
if value == SHARED then
  local shares = redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
  for i = 1, #shares, 2 do
    local token = redis.call('HGET', KEYS[6], shares[i]) or ''
    for _, part in ipairs({ shares[i], 'shared', token, shares[i + 1] - now }) do table.insert(reply, part) end
  end
elseif value then
  local left = redis.call('PTTL', KEYS[1])
  local token = string.match(redis.call('GET', KEYS[2]) or '', '^%d*')
  for _, part in ipairs({ value, 'exclusive', token, left }) do table.insert(reply, part) end
end
return reply
