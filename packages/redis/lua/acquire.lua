-- Takes the key exclusively, or a position in the queue.
-- ARGV    1 owner, 2 ttl (ms), 3 terms, see queue.lua; and if they are not 0 and an hour:
--         4 the token must exceed this, 5 token retention (ms), 6 the terms of an assignment or "",
--         after a "+" where no attempt was answered with what is assigned to this owner by now,
--         7 and on: other waiters of this process on this key, to be kept in the queue, and their
--         terms
-- Returns the fencing token. If busy, minus the ms until the next attempt. A list of that and of
--         owners that must look, if there are any. Error LOCKS_SHARED when this owner shares the
--         key.

-- include token
local owner, ttl = ARGV[1], ARGV[2]
-- The uncontended path: TIME, EXISTS, SET, SET. Nothing that it does not need is defined before it.
local now, micros = clock()
-- include restart-guard
local above, retention = tonumber(ARGV[4] or 0), ARGV[5] or HOUR
local free = not ARGV[7] and redis.call('EXISTS', KEYS[3]) == 0 and redis.call('SET', KEYS[1], owner, 'NX', 'PX', ttl)
if free then return mint(KEYS[2], above, retention, micros, KEYS[1]) end

-- include algorithm
-- include queue
local waiterTtl, inQueue, process, channel = readTerms(ARGV[3])
local me = waiterOf('x', process, owner)
local value = purge(now, holder())

if value == owner then
  keepPlaces(7, now, waiterTtl)
  redis.call('PEXPIRE', KEYS[1], ttl)
  local counter = redis.call('GET', KEYS[2])
  -- A repeat keeps its token. An assignment may have come before the floor of this attempt.
  local raises = string.sub(ARGV[6] or '', 1, 1) == '+'
  if not counter or raises and tonumber(tokenOf(counter)) <= above then return answer(mint(KEYS[2], above, retention, micros)) end
  keep(KEYS[2], tonumber(retention))
  return answer(tokenOf(counter))
end
if value == SHARED and redis.call('ZSCORE', KEYS[5], owner) then
  refuseOnReplica()
  return redis.error_reply('LOCKS_SHARED')
end

-- Before the decision: a head whose process is gone must not keep the key.
local head, told
head, told, value = wakeHead(me, value, channel)
if not value and (head or me) == me then
  leaveQueue(me)
  redis.call('SET', KEYS[1], owner, 'PX', ttl)
  keepPlaces(7, now, waiterTtl)
  if concernsHead(tonumber(ttl), waiterTtl) then wakeHead(me, owner, channel) end
  return answer(mint(KEYS[2], above, retention, micros, KEYS[1]))
end

local new = false
if inQueue then
  new = stayInQueue(me, now, waiterTtl, (string.gsub(ARGV[6], '^%+', '')))
  keepPlaces(7, now, waiterTtl)
else
  refuseOnReplica()
end
if told and not new then limitDeadlines(head, now) end
return answer(busy(me, head, value, now, waiterTtl))
