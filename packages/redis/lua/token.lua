-- The server's clock, and the fencing tokens that it mints: KEYS[2] holds the highest one minted or told.
local function clock()
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return math.floor(micros / 1000), micros
end

-- The next token: above all earlier ones, above the floor, not behind the clock. It is kept until the clock has passed it
-- by the retention, so that forgetting it cannot give a token twice. Text: a client may round an integer near 2^53.
local function mint(above, retention, micros)
  local token = math.max(micros, above + 1)
  local keep = retention + math.ceil((token - micros) / 1000)
  local last = redis.call('SET', KEYS[2], token, 'PX', keep, 'GET')
  if last and tonumber(last) >= token then
    token = tonumber(last) + 1
    redis.call('SET', KEYS[2], token, 'PX', retention + math.max(0, math.ceil((token - micros) / 1000)))
    -- Lua's numbers end at 2^53: the next one is the same.
    if token == tonumber(last) then error('LOCKS_TOKENS') end
  end
  return string.format('%.0f', token)
end
