-- The server's clock, and the fencing tokens that it mints.
-- KEYS[2], the counter: the highest token minted or told, followed by its retention if that is not an hour, the default.
local function clock()
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return math.floor(micros / 1000), micros
end

local HOUR = 3600000

local function tokenOf(counter)
  return string.match(counter, '^%d+')
end

-- The token and the retention in the value of a counter.
local function readCounter(counter)
  local token = tonumber(counter)
  if token then return token, HOUR end
  return tonumber(tokenOf(counter)), tonumber(string.match(counter, '%d+$'))
end

-- Writes the counter and returns its value before. It lasts until the clock has passed the token by the retention, so that
-- its end cannot give a token twice.
local function writeCounter(token, retention, micros)
  local value = retention == HOUR and token or string.format('%.0f %.0f', token, retention)
  local keep = retention + math.max(0, math.ceil((token - micros) / 1000))
  return redis.call('SET', KEYS[2], value, 'PX', keep, 'GET')
end

-- The next token: above all earlier ones, above the floor, not behind the clock. Another service may want it kept for longer.
-- Text: a client may round an integer near 2^53.
local function mint(above, retention, micros)
  local token = math.max(micros, above + 1)
  local last = writeCounter(token, retention, micros)
  if last then
    local lastToken, lastRetention = readCounter(last)
    if lastToken >= token or lastRetention > retention then
      token = math.max(token, lastToken + 1)
      writeCounter(token, math.max(retention, lastRetention), micros)
      -- Lua's numbers end at 2^53: the next one is the same.
      if token == lastToken then error('LOCKS_TOKENS') end
    end
  end
  return string.format('%.0f', token)
end
