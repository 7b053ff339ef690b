-- Sets a value under the protection of a fencing token.
-- include fence
-- KEYS    1 the value, 2 the highest token seen, in the same Cluster slot
-- ARGV    1 token, 2 value
-- Returns 1; error "LOCKS_STALE <token seen>" when a later holder has been there.
local refused = fence(KEYS[2], ARGV[1])
if refused then return refused end
redis.call('SET', KEYS[1], ARGV[2])
return 1
