-- Frees each key that its owner holds exclusively, and that has no queue.
-- KEYS    for each claim: key and queue, see algorithm.lua
-- ARGV    the owners
-- Returns for each claim 1, or 0 where release.lua must decide.

-- include each
return each(2, 1, function(owner, key)
  if redis.call('GET', key) ~= owner then return 0 end
  return redis.call('DEL', key)
end)
