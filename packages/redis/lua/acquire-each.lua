-- Takes each key that is free and has no queue.
-- KEYS    for each claim: key, token and queue, see algorithm.lua
-- ARGV    1 ttl (ms), 2 the tokens must exceed this, 3 token retention (ms), 4 and on: the owners
-- Returns for each claim its fencing token, or 0 where acquire.lua must decide.

-- include token
-- include each
local ttl, above, retention = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local _, micros = clock()
return each(3, 4, function(owner, key, counter)
  if not redis.call('SET', key, owner, 'NX', 'PX', ttl) then return 0 end
  return mint(counter, above, retention, micros, key)
end)
