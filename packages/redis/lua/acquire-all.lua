-- Takes all keys exclusively, or none of them.
-- A key can be taken if it is free and has no line, or if its owner has it already.
-- KEYS    for each claim: key, token and queue, see queue.lua
-- ARGV    1 ttl (ms), 2 the tokens must exceed this, 3 token retention (ms), 4 and on: the owners
-- Returns the fencing tokens. None: acquire.lua must decide about each key.

-- include token
local ttl, above, retention = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local _, micros = clock()
local owned = {}
for i = 4, #ARGV do
  local at = (i - 4) * 3
  -- A foreign holder may keep a value of another type there.
  local value = redis.pcall('GET', KEYS[at + 1])
  owned[i] = value == ARGV[i]
  if not owned[i] and (value or redis.call('EXISTS', KEYS[at + 3]) == 1) then return {} end
end

local function take(i)
  local key, counter = KEYS[(i - 4) * 3 + 1], KEYS[(i - 4) * 3 + 2]
  redis.call('SET', key, ARGV[i], 'PX', ttl)
  local last = owned[i] and redis.call('GET', counter)
  if not last then return mint(counter, above, retention, micros) end
  if redis.call('PTTL', counter) < tonumber(retention) then redis.call('PEXPIRE', counter, retention) end
  return string.match(last, '^%d+')
end

local tokens = {}
for i = 4, #ARGV do
  local taken, token = pcall(take, i)
  if not taken then
    -- Redis does not undo what a failed script wrote.
    for j = 4, i do
      if not owned[j] then redis.call('DEL', KEYS[(j - 4) * 3 + 1]) end
    end
    return {}
  end
  tokens[i - 3] = token
end
return tokens
