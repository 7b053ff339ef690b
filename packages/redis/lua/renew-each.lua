-- Restarts the ttl of each key that its owner holds exclusively, and that has no queue.
-- KEYS    for each claim: key, token and queue, see algorithm.lua. Without token if ARGV[2] is 0
-- ARGV    1 ttl (ms), 2 token retention (ms), or 0 to leave the counters alone, 3 and on: the
--         owners
-- Returns for each claim 1, or 0 where renew.lua must decide.

-- include each
local ttl, retention = ARGV[1], tonumber(ARGV[2])
return each(retention == 0 and 2 or 3, 3, function(owner, key, counter)
  if redis.call('GET', key) ~= owner then return 0 end
  redis.call('PEXPIRE', key, ttl)
  if retention > 0 and redis.call('PTTL', counter) < retention then redis.call('PEXPIRE', counter, ARGV[2]) end
  return 1
end)
