-- Returns which keys are held or waited for. Changes nothing.
-- KEYS    for each key the first five of it: see algorithm.lua
-- ARGV    1 the pattern of another library's owners, or "": see ours.lua
-- Returns for each key 1 if it is, else 0.

-- include token
-- include ours
local now = clock()
local replies = {}
for at = 1, #KEYS, 5 do
  local key, shares = KEYS[at], KEYS[at + 4]
  local held
  if textAt(key) == SHARED then
    held = redis.call('ZCOUNT', shares, '(' .. string.format('%.0f', now), '+inf') > 0
  else
    held = ownerIn(key, KEYS[at + 1], ARGV[1])
  end
  local _, count = waitersIn(KEYS[at + 2], KEYS[at + 3], now, 1)
  table.insert(replies, (held or count > 0) and 1 or 0)
end
return replies
