-- Included below the clock in the scripts that grant: option restartGuard.
-- A server that has come back may have lost grants. It grants nothing new before the leases of then
-- are over. Only with the option there are
-- KEYS[8]  the marker, "run_id:<40 digits> <ms>": the server that grants here, and since when
-- ARGV     the last two: this waiter, and for how many ms it then grants nothing. They are taken
--          off, as the scripts read their arguments to the end.
if KEYS[8] then
  local span = tonumber(table.remove(ARGV))
  local waiter = table.remove(ARGV)
  local info = redis.call('INFO', 'server')
  local marker = redis.call('GET', KEYS[8]) or ''
  -- Plain, as a pattern takes longer than INFO.
  local since = string.find(info, string.sub(marker, 1, 47), 1, true) and tonumber(string.sub(marker, 49))
  -- A moment that is still to come is from before a step of the clock.
  if not since or since > now then
    since = now
    redis.call('SET', KEYS[8], string.format('%s %.0f', string.match(info, 'run_id:%x+'), now))
  end
  local left = since + span - now
  if left > 0 then
    local value, expiry = redis.pcall('GET', KEYS[1]), redis.call('ZSCORE', KEYS[5], owner)
    local holds = value == owner or (value == '<shared>' and expiry and tonumber(expiry) > now)
    if not holds then
      redis.call('ZREM', KEYS[3], waiter)
      redis.call('ZREM', KEYS[4], waiter)
      return redis.error_reply('LOCKS_RESTARTED ' .. now - since .. ' ' .. left)
    end
  end
end
