-- The fragment for a script of one's own: refuses a token below the highest one that this resource has seen.
-- Call it before the script writes: local refused = fence(KEYS[n], ARGV[m]); if refused then return refused end
local function fence(key, token)
  local seen = redis.call('GET', key)
  -- Decimal strings of tokens: the longer is the higher, and Lua's numbers would round those above 2^53.
  if seen and (#seen > #token or (#seen == #token and seen > token)) then return redis.error_reply('LOCKS_STALE ' .. seen) end
  redis.call('SET', key, token)
  return nil
end
