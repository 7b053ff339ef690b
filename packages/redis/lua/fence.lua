-- Refuses a token below the highest one that this resource has seen.
-- For a script of your own, which calls it before it writes:
--         local refused = fence(KEYS[n], ARGV[m])
--         if refused then return refused end
local function fence(key, token)
  local seen = redis.call('GET', key)
  -- Tokens are compared as text, the longer one being the higher. Lua would round numbers above
  -- 2^53.
  if seen and (#seen > #token or (#seen == #token and seen > token)) then return redis.error_reply('LOCKS_STALE ' .. seen) end
  redis.call('SET', key, token)
  return nil
end
