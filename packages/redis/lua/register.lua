-- Reads a register, or changes it if its text is what the client expects. It has no expiry.
-- KEYS    1 the register
-- ARGV    1 the text that it must have, 2 the text that it gets; "": none. Neither: it is only read
-- Returns a list of its text, "" for none. A list means that replicas must have it
--         (src/wire/replicated-writes.ts).
local text = redis.call('GET', KEYS[1]) or ''
-- It changes nothing, but a replica, which may be behind, refuses it.
redis.call('PERSIST', KEYS[1])
-- A change that is found made is written again: replicas may not have it yet.
if ARGV[2] and (text == ARGV[1] or text == ARGV[2]) then
  text = ARGV[2]
  if text == '' then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], text)
  end
end
return { text }
