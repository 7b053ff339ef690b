-- The server's clock, and the fencing tokens that it mints.
-- The counter of a key is the highest token minted or received. Its retention follows, unless
-- that is an hour, the default.
-- The clock's µs as text. To make it of their digits takes half the time of string.format.
local clockText

local function clock()
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
  return math.floor(micros / 1000), micros
end

local HOUR = '3600000'

-- An integer is the reply that a client reads fastest. Near 2^53 ioredis 6 rounds it, but not text.
local function tokenReply(token, text)
  if token < 2 ^ 52 then return token end
  return text
end

-- Sets the counter `key` to `token`. If the last token is not below that, to `step` above the last
-- one. The counter lasts until the clock has passed it by the longest retention of any claim. So no
-- token is given twice after its end. Returns nil where the next token equals the last one.
-- `retention` is text, and the token becomes text once: numbers cost redis.call more.
local function count(key, token, step, retention, micros)
  local text = token == micros and clockText or string.format('%.0f', token)
  local counter = retention == HOUR and text or text .. ' ' .. retention
  local span = token > micros and retention + math.ceil((token - micros) / 1000) or retention
  local last = redis.call('SET', key, counter, 'PX', span, 'GET')
  if not last then return tokenReply(token, text) end
  local lastToken, lastRetention = tonumber(last), HOUR
  if not lastToken then
    local first
    first, lastRetention = string.match(last, '^(%d+) (%d+)$')
    lastToken = tonumber(first)
  end
  local longer = lastRetention ~= retention and tonumber(lastRetention) > tonumber(retention)
  if lastToken < token and not longer then return tokenReply(token, text) end
  if longer then retention = lastRetention end
  if lastToken >= token then token = lastToken + step end
  text = string.format('%.0f', token)
  counter = retention == HOUR and text or text .. ' ' .. retention
  redis.call('SET', key, counter, 'PX', retention + math.max(0, math.ceil((token - micros) / 1000)))
  -- Lua's numbers end at 2^53: the next one is the same.
  if step == 1 and token == lastToken then return nil end
  return tokenReply(token, text)
end

-- The next token of the counter `key`: above all earlier ones, above the floor, not behind the
-- clock. Where there is none, this frees the key that was `taken` for it: Redis does not undo what
-- a failed script wrote.
local function mint(key, above, retention, micros, taken)
  local token = count(key, math.max(micros, above + 1), 1, retention, micros)
  if token then return token end
  if taken then redis.call('DEL', taken) end
  error('LOCKS_TOKENS')
end
