// Written by scripts/embed-lua.mjs from lua/*.lua. Change those, and run it again: a test compares
// the two.

/** A Lua script and the digest that EVALSHA calls it by. */
export interface Script {
  readonly sha: string;
  readonly lua: string;
}

export const scripts: Readonly<Record<'acquire' | 'acquireEach' | 'acquireAll' | 'acquireShared' | 'renew' | 'renewEach' | 'release' | 'releaseEach' | 'inspect' | 'time' | 'register' | 'initialise' | 'fencedSet', Script>> = {
  acquire: {
    sha: 'd498e3c760306266732ec58f65e7a7e11d43a83f',
    lua: `local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local owner, ttl = ARGV[1], ARGV[2]
local now, micros = clock()
if KEYS[9] then
local span = tonumber(table.remove(ARGV))
local waiter = table.remove(ARGV)
local info = redis.call('INFO', 'server')
local marker = redis.call('GET', KEYS[9]) or ''
local since = string.find(info, string.sub(marker, 1, 47), 1, true) and tonumber(string.sub(marker, 49))
if not since or since > now then
since = now
redis.call('SET', KEYS[9], string.format('%s %.0f', string.match(info, 'run_id:%x+'), now))
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
local above, retention = tonumber(ARGV[4] or 0), ARGV[5] or HOUR
local free = not ARGV[7] and redis.call('EXISTS', KEYS[3]) == 0 and redis.call('SET', KEYS[1], owner, 'NX', 'PX', ttl)
if free then return mint(KEYS[2], above, retention, micros, KEYS[1]) end
local SHARED = '<shared>'
local function readTerms(terms)
local waiterTtl, inLine, barges, process, channel = string.match(terms, '^(%d+) (%d) (%d) (%S+) (.*)$')
return tonumber(waiterTtl), inLine == '1', barges == '1', process, channel
end
local function waiterOf(kind, process, owner)
return kind .. ' ' .. process .. ' ' .. owner
end
local function holder()
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'table' then return value end
if string.find(value.err, 'WRONGTYPE', 1, true) then return '' end
return redis.call('GET', KEYS[1])
end
local function refuseOnReplica()
redis.call('ZREM', KEYS[4], '')
end
local function tokenOf(counter)
return string.match(counter, '^%d+')
end
local function keep(key, span)
if redis.call('PTTL', key) < span then redis.call('PEXPIRE', key, span) end
end
local function headOfLine()
return redis.call('ZRANGE', KEYS[3], 0, 0)[1]
end
local function leaveLine(waiter)
redis.call('ZREM', KEYS[3], waiter)
redis.call('ZREM', KEYS[4], waiter)
redis.call('HDEL', KEYS[8], waiter)
end
local newHead = false
local function giveUpPlace(waiter)
newHead = newHead or headOfLine() == waiter
leaveLine(waiter)
end
local function forgetShare(owner)
redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner)
end
local function settleShares()
local last = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if not last[1] then
redis.call('DEL', KEYS[1], KEYS[5], KEYS[6])
return
end
redis.call('SET', KEYS[1], SHARED, 'PXAT', last[2])
redis.call('PEXPIREAT', KEYS[5], last[2])
redis.call('PEXPIREAT', KEYS[6], last[2])
return tonumber(last[2])
end
local function purge(now, value)
local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)
for _, waiter in ipairs(gone) do giveUpPlace(waiter) end
if value ~= SHARED then return value end
gone = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now)
if not gone[1] then return value end
for _, owner in ipairs(gone) do forgetShare(owner) end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
settleShares()
return holder()
end
local function admits(value, kind)
if not value then return true end
if value ~= SHARED or kind == 'x' then return false end
local permits = tonumber(string.sub(kind, 2))
return not permits or redis.call('ZCARD', KEYS[5]) < permits
end
local function tell(process, channel, message)
return redis.call('PUBLISH', channel .. process, message) > 0 or string.find(process, '^%d+%-c%.') ~= nil
end
local function assign(waiter, process, owner, channel)
local terms = redis.call('HGET', KEYS[8], waiter)
if not terms then return nil end
local sentAt, ttl, above, retention = string.match(terms, '^(%d+) (%d+) (%d+) (%d+)$')
local micros = tonumber(clockText)
local token = count(KEYS[2], math.max(micros, above + 1), 1, retention, micros)
if not token then return nil end
if type(token) == 'number' then token = string.format('%.0f', token) end
local deadline = redis.call('ZSCORE', KEYS[4], waiter)
local left = deadline and deadline - math.floor(micros / 1000) or math.huge
local span = math.max(1, math.min(tonumber(ttl), left, tonumber(string.match(process, '^%d+'))))
redis.call('SET', KEYS[1], owner, 'PX', span)
if tell(process, channel, string.char(10) .. token .. ' ' .. ttl .. ' ' .. sentAt .. ' ' .. owner) then
leaveLine(waiter)
return span
end
redis.call('DEL', KEYS[1])
return false
end
local function wakeHead(me, value, channel)
while true do
local head = headOfLine()
if not head or head == me then return head, false, value end
local kind, process, owner = string.match(head, '^(%S+) (%S+) (.*)$')
if not newHead and not admits(value, kind) then return head, false, value end
local span
if not value and kind == 'x' then span = assign(head, process, owner, channel) end
if span then
value = owner
newHead = span < tonumber(string.match(process, '^%d+')) / 3
elseif span == nil and tell(process, channel, owner) then
newHead = false
return head, true, value
else
newHead = true
leaveLine(head)
end
end
end
local function concernsHead(ttl, waiterTtl)
newHead = newHead or ttl < waiterTtl / 3
return newHead
end
local function keepLine(waiterTtl)
if redis.call('PTTL', KEYS[3]) >= waiterTtl then return end
redis.call('PEXPIRE', KEYS[3], waiterTtl)
redis.call('PEXPIRE', KEYS[4], waiterTtl)
end
local function stayInLine(waiter, now, waiterTtl, terms)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
local added = redis.call('ZADD', KEYS[3], 'NX', (last[2] or 0) + 1, waiter)
redis.call('ZADD', KEYS[4], now + waiterTtl, waiter)
keepLine(waiterTtl)
if terms and terms ~= '' then
redis.call('HSET', KEYS[8], waiter, terms)
keep(KEYS[8], waiterTtl)
end
return added == 1
end
local function limitDeadline(waiter, now)
local waiterTtl = tonumber(string.match(waiter, '^%S+ (%d+)%-'))
return waiterTtl and redis.call('ZADD', KEYS[4], 'XX', 'LT', 'CH', now + waiterTtl, waiter) == 1
end
local function limitDeadlines(head, now)
if not limitDeadline(head, now) then return end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do limitDeadline(waiter, now) end
end
local mustLook = {}
local function keepPlaces(first, now, waiterTtl)
if #ARGV < first then return end
local head = headOfLine()
local waiters, kept, terms = {}, {}, {}
for i = first, #ARGV, 2 do table.insert(waiters, ARGV[i]) end
for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(waiters))) do
local waiter, own = waiters[i], ARGV[first + 2 * i - 1]
if deadline then
table.insert(kept, now + waiterTtl)
table.insert(kept, waiter)
if own ~= '' then
table.insert(terms, waiter)
table.insert(terms, own)
end
end
if not deadline or waiter == head then
table.insert(mustLook, string.match(waiter, '^%S+ %S+ (.*)$'))
end
end
if not kept[1] then return end
redis.call('ZADD', KEYS[4], 'XX', unpack(kept))
keepLine(waiterTtl)
if terms[1] then
redis.call('HSET', KEYS[8], unpack(terms))
keep(KEYS[8], waiterTtl)
end
keep(KEYS[7], waiterTtl)
end
local function answer(reply)
if not mustLook[1] then return reply end
return { reply, unpack(mustLook) }
end
local function busy(me, head, value, now, waiterTtl)
local wait = math.floor(waiterTtl / 3)
if not head or head == me then
local left = redis.call('PTTL', KEYS[1])
if value == SHARED then
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if first[2] then left = first[2] - now end
end
if left >= 0 then wait = math.min(wait, left + 1) end
end
return -math.max(wait, 1)
end
local waiterTtl, inLine, barges, process, channel = readTerms(ARGV[3])
local me = waiterOf('x', process, owner)
local value = purge(now, holder())
if value == owner then
keepPlaces(7, now, waiterTtl)
redis.call('PEXPIRE', KEYS[1], ttl)
local counter = redis.call('GET', KEYS[2])
local raises = string.sub(ARGV[6] or '', 1, 1) == '+'
if not counter or raises and tonumber(tokenOf(counter)) <= above then return answer(mint(KEYS[2], above, retention, micros)) end
keep(KEYS[2], tonumber(retention))
return answer(tokenOf(counter))
end
if value == SHARED and redis.call('ZSCORE', KEYS[5], owner) then
refuseOnReplica()
return redis.error_reply('LOCKS_SHARED')
end
local passes = not value and barges
local head, told
if not passes then head, told, value = wakeHead(me, value, channel) end
if passes or (not value and (head or me) == me) then
leaveLine(me)
if redis.call('EXISTS', KEYS[3]) == 0 then redis.call('DEL', KEYS[7]) end
redis.call('SET', KEYS[1], owner, 'PX', ttl)
keepPlaces(7, now, waiterTtl)
if concernsHead(tonumber(ttl), waiterTtl) then wakeHead(me, owner, channel) end
return answer(mint(KEYS[2], above, retention, micros, KEYS[1]))
end
local new = false
if inLine then
new = stayInLine(me, now, waiterTtl, (string.gsub(ARGV[6], '^%+', '')))
keepPlaces(7, now, waiterTtl)
else
refuseOnReplica()
end
if told and not new then limitDeadlines(head, now) end
return answer(busy(me, head, value, now, waiterTtl))`,
  },
  acquireEach: {
    sha: '163ffe9339320abcb44fa74830332cbf22c0cf28',
    lua: `local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local function each(width, first, decide)
local queues, replies = {}, {}
for key = width, #KEYS, width do queues[#queues + 1] = KEYS[key] end
local lines = redis.call('EXISTS', unpack(queues)) > 0
for i = first, #ARGV do
local key = (i - first) * width + 1
local decided, reply = false, 0
if not lines or redis.call('EXISTS', KEYS[key + width - 1]) == 0 then
decided, reply = pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1])
end
replies[i - first + 1] = decided and reply or 0
end
return replies
end
local ttl, above, retention = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local _, micros = clock()
return each(3, 4, function(owner, key, counter)
if not redis.call('SET', key, owner, 'NX', 'PX', ttl) then return 0 end
return mint(counter, above, retention, micros, key)
end)`,
  },
  acquireAll: {
    sha: '232df235bf7d6628e6afd12569361ba10a130a7f',
    lua: `local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local ttl, above, retention = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local _, micros = clock()
local owned = {}
for i = 4, #ARGV do
local at = (i - 4) * 3
local value = redis.pcall('GET', KEYS[at + 1])
owned[i] = value == ARGV[i]
if not owned[i] and (value or redis.call('EXISTS', KEYS[at + 3]) == 1) then return {} end
end
local function take(i)
local key, counter = KEYS[(i - 4) * 3 + 1], KEYS[(i - 4) * 3 + 2]
redis.call('SET', key, ARGV[i], 'PX', ttl)
local last = owned[i] and redis.call('GET', counter)
if not last then return mint(counter, above, retention, micros) end
if redis.call('PTTL', counter) < tonumber(retention) then redis.call('PEXPIRE', counter, retention) end
return string.match(last, '^%d+')
end
local tokens = {}
for i = 4, #ARGV do
local taken, token = pcall(take, i)
if not taken then
for j = 4, i do
if not owned[j] then redis.call('DEL', KEYS[(j - 4) * 3 + 1]) end
end
return {}
end
tokens[i - 3] = token
end
return tokens`,
  },
  acquireShared: {
    sha: 'b6d555a4d6940eea88bbda744f2e91e96b40f698',
    lua: `local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local SHARED = '<shared>'
local function readTerms(terms)
local waiterTtl, inLine, barges, process, channel = string.match(terms, '^(%d+) (%d) (%d) (%S+) (.*)$')
return tonumber(waiterTtl), inLine == '1', barges == '1', process, channel
end
local function waiterOf(kind, process, owner)
return kind .. ' ' .. process .. ' ' .. owner
end
local function holder()
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'table' then return value end
if string.find(value.err, 'WRONGTYPE', 1, true) then return '' end
return redis.call('GET', KEYS[1])
end
local function refuseOnReplica()
redis.call('ZREM', KEYS[4], '')
end
local function tokenOf(counter)
return string.match(counter, '^%d+')
end
local function keep(key, span)
if redis.call('PTTL', key) < span then redis.call('PEXPIRE', key, span) end
end
local function headOfLine()
return redis.call('ZRANGE', KEYS[3], 0, 0)[1]
end
local function leaveLine(waiter)
redis.call('ZREM', KEYS[3], waiter)
redis.call('ZREM', KEYS[4], waiter)
redis.call('HDEL', KEYS[8], waiter)
end
local newHead = false
local function giveUpPlace(waiter)
newHead = newHead or headOfLine() == waiter
leaveLine(waiter)
end
local function forgetShare(owner)
redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner)
end
local function settleShares()
local last = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if not last[1] then
redis.call('DEL', KEYS[1], KEYS[5], KEYS[6])
return
end
redis.call('SET', KEYS[1], SHARED, 'PXAT', last[2])
redis.call('PEXPIREAT', KEYS[5], last[2])
redis.call('PEXPIREAT', KEYS[6], last[2])
return tonumber(last[2])
end
local function purge(now, value)
local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)
for _, waiter in ipairs(gone) do giveUpPlace(waiter) end
if value ~= SHARED then return value end
gone = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now)
if not gone[1] then return value end
for _, owner in ipairs(gone) do forgetShare(owner) end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
settleShares()
return holder()
end
local function admits(value, kind)
if not value then return true end
if value ~= SHARED or kind == 'x' then return false end
local permits = tonumber(string.sub(kind, 2))
return not permits or redis.call('ZCARD', KEYS[5]) < permits
end
local function tell(process, channel, message)
return redis.call('PUBLISH', channel .. process, message) > 0 or string.find(process, '^%d+%-c%.') ~= nil
end
local function assign(waiter, process, owner, channel)
local terms = redis.call('HGET', KEYS[8], waiter)
if not terms then return nil end
local sentAt, ttl, above, retention = string.match(terms, '^(%d+) (%d+) (%d+) (%d+)$')
local micros = tonumber(clockText)
local token = count(KEYS[2], math.max(micros, above + 1), 1, retention, micros)
if not token then return nil end
if type(token) == 'number' then token = string.format('%.0f', token) end
local deadline = redis.call('ZSCORE', KEYS[4], waiter)
local left = deadline and deadline - math.floor(micros / 1000) or math.huge
local span = math.max(1, math.min(tonumber(ttl), left, tonumber(string.match(process, '^%d+'))))
redis.call('SET', KEYS[1], owner, 'PX', span)
if tell(process, channel, string.char(10) .. token .. ' ' .. ttl .. ' ' .. sentAt .. ' ' .. owner) then
leaveLine(waiter)
return span
end
redis.call('DEL', KEYS[1])
return false
end
local function wakeHead(me, value, channel)
while true do
local head = headOfLine()
if not head or head == me then return head, false, value end
local kind, process, owner = string.match(head, '^(%S+) (%S+) (.*)$')
if not newHead and not admits(value, kind) then return head, false, value end
local span
if not value and kind == 'x' then span = assign(head, process, owner, channel) end
if span then
value = owner
newHead = span < tonumber(string.match(process, '^%d+')) / 3
elseif span == nil and tell(process, channel, owner) then
newHead = false
return head, true, value
else
newHead = true
leaveLine(head)
end
end
end
local function concernsHead(ttl, waiterTtl)
newHead = newHead or ttl < waiterTtl / 3
return newHead
end
local function keepLine(waiterTtl)
if redis.call('PTTL', KEYS[3]) >= waiterTtl then return end
redis.call('PEXPIRE', KEYS[3], waiterTtl)
redis.call('PEXPIRE', KEYS[4], waiterTtl)
end
local function stayInLine(waiter, now, waiterTtl, terms)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
local added = redis.call('ZADD', KEYS[3], 'NX', (last[2] or 0) + 1, waiter)
redis.call('ZADD', KEYS[4], now + waiterTtl, waiter)
keepLine(waiterTtl)
if terms and terms ~= '' then
redis.call('HSET', KEYS[8], waiter, terms)
keep(KEYS[8], waiterTtl)
end
return added == 1
end
local function limitDeadline(waiter, now)
local waiterTtl = tonumber(string.match(waiter, '^%S+ (%d+)%-'))
return waiterTtl and redis.call('ZADD', KEYS[4], 'XX', 'LT', 'CH', now + waiterTtl, waiter) == 1
end
local function limitDeadlines(head, now)
if not limitDeadline(head, now) then return end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do limitDeadline(waiter, now) end
end
local mustLook = {}
local function keepPlaces(first, now, waiterTtl)
if #ARGV < first then return end
local head = headOfLine()
local waiters, kept, terms = {}, {}, {}
for i = first, #ARGV, 2 do table.insert(waiters, ARGV[i]) end
for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(waiters))) do
local waiter, own = waiters[i], ARGV[first + 2 * i - 1]
if deadline then
table.insert(kept, now + waiterTtl)
table.insert(kept, waiter)
if own ~= '' then
table.insert(terms, waiter)
table.insert(terms, own)
end
end
if not deadline or waiter == head then
table.insert(mustLook, string.match(waiter, '^%S+ %S+ (.*)$'))
end
end
if not kept[1] then return end
redis.call('ZADD', KEYS[4], 'XX', unpack(kept))
keepLine(waiterTtl)
if terms[1] then
redis.call('HSET', KEYS[8], unpack(terms))
keep(KEYS[8], waiterTtl)
end
keep(KEYS[7], waiterTtl)
end
local function answer(reply)
if not mustLook[1] then return reply end
return { reply, unpack(mustLook) }
end
local function busy(me, head, value, now, waiterTtl)
local wait = math.floor(waiterTtl / 3)
if not head or head == me then
local left = redis.call('PTTL', KEYS[1])
if value == SHARED then
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if first[2] then left = first[2] - now end
end
if left >= 0 then wait = math.min(wait, left + 1) end
end
return -math.max(wait, 1)
end
local owner, ttl = ARGV[1], tonumber(ARGV[2])
local waiterTtl, inLine, barges, process, channel = readTerms(ARGV[3])
local above, retention = tonumber(ARGV[4]), ARGV[5]
local resize, permits = string.match(ARGV[6], '^(%-?)(.*)$')
resize = resize == '-'
local me = waiterOf('s' .. permits, process, owner)
local now, micros = clock()
if KEYS[9] then
local span = tonumber(table.remove(ARGV))
local waiter = table.remove(ARGV)
local info = redis.call('INFO', 'server')
local marker = redis.call('GET', KEYS[9]) or ''
local since = string.find(info, string.sub(marker, 1, 47), 1, true) and tonumber(string.sub(marker, 49))
if not since or since > now then
since = now
redis.call('SET', KEYS[9], string.format('%s %.0f', string.match(info, 'run_id:%x+'), now))
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
local value = purge(now, holder())
local function isFixed()
if value == SHARED then
for _, sharer in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do
if not redis.call('HGET', KEYS[6], string.char(10) .. sharer) then return true end
end
end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
local shares = waiter ~= me and string.sub(waiter, 1, 1) == 's'
if shares and redis.call('HGET', KEYS[8], waiter) ~= '-' then return true end
end
return false
end
local function fixPermits(span)
if not resize then redis.call('SET', KEYS[7], permits, 'PX', span) end
end
local function share(token)
redis.call('ZADD', KEYS[5], now + ttl, owner)
redis.call('HSET', KEYS[6], owner, token)
if resize then redis.call('HSET', KEYS[6], string.char(10) .. owner, '') end
fixPermits(math.max(settleShares() - now, redis.call('PTTL', KEYS[3])))
keep(KEYS[2], tonumber(retention))
keepPlaces(7, now, waiterTtl)
concernsHead(ttl, waiterTtl)
wakeHead(me, SHARED, channel)
return answer(token)
end
local fixed = redis.call('GET', KEYS[7])
if fixed and fixed ~= permits and not resize then
refuseOnReplica()
if isFixed() then return redis.error_reply('LOCKS_PERMITS ' .. fixed) end
redis.call('DEL', KEYS[7])
end
if value == owner then
redis.call('DEL', KEYS[5], KEYS[6])
local counter = redis.call('GET', KEYS[2])
return share(counter and tokenOf(counter) or mint(KEYS[2], above, retention, micros))
end
if value == SHARED and redis.call('ZSCORE', KEYS[5], owner) then
return share(redis.call('HGET', KEYS[6], owner) or mint(KEYS[2], above, retention, micros))
end
local passes = barges and admits(value, 's' .. permits)
local head, told
if not passes then head, told, value = wakeHead(me, value, channel) end
if passes or (admits(value, 's' .. permits) and (head or me) == me) then
if not value then redis.call('DEL', KEYS[5], KEYS[6]) end
leaveLine(me)
return share(mint(KEYS[2], above, retention, micros))
end
local new = false
if inLine then
new = stayInLine(me, now, waiterTtl, resize and '-' or '')
keepPlaces(7, now, waiterTtl)
fixPermits(math.max(waiterTtl, redis.call('PTTL', KEYS[7])))
else
refuseOnReplica()
end
if told and not new then limitDeadlines(head, now) end
return answer(busy(me, head, value, now, waiterTtl))`,
  },
  renew: {
    sha: 'b2e7788026320f49a1c2e6b9ab70b2fb274c495c',
    lua: `local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local SHARED = '<shared>'
local function readTerms(terms)
local waiterTtl, inLine, barges, process, channel = string.match(terms, '^(%d+) (%d) (%d) (%S+) (.*)$')
return tonumber(waiterTtl), inLine == '1', barges == '1', process, channel
end
local function waiterOf(kind, process, owner)
return kind .. ' ' .. process .. ' ' .. owner
end
local function holder()
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'table' then return value end
if string.find(value.err, 'WRONGTYPE', 1, true) then return '' end
return redis.call('GET', KEYS[1])
end
local function refuseOnReplica()
redis.call('ZREM', KEYS[4], '')
end
local function tokenOf(counter)
return string.match(counter, '^%d+')
end
local function keep(key, span)
if redis.call('PTTL', key) < span then redis.call('PEXPIRE', key, span) end
end
local function headOfLine()
return redis.call('ZRANGE', KEYS[3], 0, 0)[1]
end
local function leaveLine(waiter)
redis.call('ZREM', KEYS[3], waiter)
redis.call('ZREM', KEYS[4], waiter)
redis.call('HDEL', KEYS[8], waiter)
end
local newHead = false
local function giveUpPlace(waiter)
newHead = newHead or headOfLine() == waiter
leaveLine(waiter)
end
local function forgetShare(owner)
redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner)
end
local function settleShares()
local last = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if not last[1] then
redis.call('DEL', KEYS[1], KEYS[5], KEYS[6])
return
end
redis.call('SET', KEYS[1], SHARED, 'PXAT', last[2])
redis.call('PEXPIREAT', KEYS[5], last[2])
redis.call('PEXPIREAT', KEYS[6], last[2])
return tonumber(last[2])
end
local function purge(now, value)
local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)
for _, waiter in ipairs(gone) do giveUpPlace(waiter) end
if value ~= SHARED then return value end
gone = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now)
if not gone[1] then return value end
for _, owner in ipairs(gone) do forgetShare(owner) end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
settleShares()
return holder()
end
local function admits(value, kind)
if not value then return true end
if value ~= SHARED or kind == 'x' then return false end
local permits = tonumber(string.sub(kind, 2))
return not permits or redis.call('ZCARD', KEYS[5]) < permits
end
local function tell(process, channel, message)
return redis.call('PUBLISH', channel .. process, message) > 0 or string.find(process, '^%d+%-c%.') ~= nil
end
local function assign(waiter, process, owner, channel)
local terms = redis.call('HGET', KEYS[8], waiter)
if not terms then return nil end
local sentAt, ttl, above, retention = string.match(terms, '^(%d+) (%d+) (%d+) (%d+)$')
local micros = tonumber(clockText)
local token = count(KEYS[2], math.max(micros, above + 1), 1, retention, micros)
if not token then return nil end
if type(token) == 'number' then token = string.format('%.0f', token) end
local deadline = redis.call('ZSCORE', KEYS[4], waiter)
local left = deadline and deadline - math.floor(micros / 1000) or math.huge
local span = math.max(1, math.min(tonumber(ttl), left, tonumber(string.match(process, '^%d+'))))
redis.call('SET', KEYS[1], owner, 'PX', span)
if tell(process, channel, string.char(10) .. token .. ' ' .. ttl .. ' ' .. sentAt .. ' ' .. owner) then
leaveLine(waiter)
return span
end
redis.call('DEL', KEYS[1])
return false
end
local function wakeHead(me, value, channel)
while true do
local head = headOfLine()
if not head or head == me then return head, false, value end
local kind, process, owner = string.match(head, '^(%S+) (%S+) (.*)$')
if not newHead and not admits(value, kind) then return head, false, value end
local span
if not value and kind == 'x' then span = assign(head, process, owner, channel) end
if span then
value = owner
newHead = span < tonumber(string.match(process, '^%d+')) / 3
elseif span == nil and tell(process, channel, owner) then
newHead = false
return head, true, value
else
newHead = true
leaveLine(head)
end
end
end
local function concernsHead(ttl, waiterTtl)
newHead = newHead or ttl < waiterTtl / 3
return newHead
end
local function keepLine(waiterTtl)
if redis.call('PTTL', KEYS[3]) >= waiterTtl then return end
redis.call('PEXPIRE', KEYS[3], waiterTtl)
redis.call('PEXPIRE', KEYS[4], waiterTtl)
end
local function stayInLine(waiter, now, waiterTtl, terms)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
local added = redis.call('ZADD', KEYS[3], 'NX', (last[2] or 0) + 1, waiter)
redis.call('ZADD', KEYS[4], now + waiterTtl, waiter)
keepLine(waiterTtl)
if terms and terms ~= '' then
redis.call('HSET', KEYS[8], waiter, terms)
keep(KEYS[8], waiterTtl)
end
return added == 1
end
local function limitDeadline(waiter, now)
local waiterTtl = tonumber(string.match(waiter, '^%S+ (%d+)%-'))
return waiterTtl and redis.call('ZADD', KEYS[4], 'XX', 'LT', 'CH', now + waiterTtl, waiter) == 1
end
local function limitDeadlines(head, now)
if not limitDeadline(head, now) then return end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do limitDeadline(waiter, now) end
end
local mustLook = {}
local function keepPlaces(first, now, waiterTtl)
if #ARGV < first then return end
local head = headOfLine()
local waiters, kept, terms = {}, {}, {}
for i = first, #ARGV, 2 do table.insert(waiters, ARGV[i]) end
for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(waiters))) do
local waiter, own = waiters[i], ARGV[first + 2 * i - 1]
if deadline then
table.insert(kept, now + waiterTtl)
table.insert(kept, waiter)
if own ~= '' then
table.insert(terms, waiter)
table.insert(terms, own)
end
end
if not deadline or waiter == head then
table.insert(mustLook, string.match(waiter, '^%S+ %S+ (.*)$'))
end
end
if not kept[1] then return end
redis.call('ZADD', KEYS[4], 'XX', unpack(kept))
keepLine(waiterTtl)
if terms[1] then
redis.call('HSET', KEYS[8], unpack(terms))
keep(KEYS[8], waiterTtl)
end
keep(KEYS[7], waiterTtl)
end
local function answer(reply)
if not mustLook[1] then return reply end
return { reply, unpack(mustLook) }
end
local function busy(me, head, value, now, waiterTtl)
local wait = math.floor(waiterTtl / 3)
if not head or head == me then
local left = redis.call('PTTL', KEYS[1])
if value == SHARED then
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if first[2] then left = first[2] - now end
end
if left >= 0 then wait = math.min(wait, left + 1) end
end
return -math.max(wait, 1)
end
local owner, ttl, raised, retention = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local now, micros = clock()
local value = holder()
local function renew()
if value == owner then
local own = raised and redis.call('GET', KEYS[2])
if own and tonumber(tokenOf(own)) > raised then return 0 end
redis.call('PEXPIRE', KEYS[1], ttl)
elseif value == SHARED then
local expiry = redis.call('ZSCORE', KEYS[5], owner)
if not expiry or tonumber(expiry) <= now then return 0 end
if raised and tonumber(redis.call('HGET', KEYS[6], owner) or 0) > raised then return 0 end
redis.call('PEXPIRE', KEYS[1], ttl)
if raised then redis.call('HSET', KEYS[6], owner, ARGV[3]) end
redis.call('ZADD', KEYS[5], now + ttl, owner)
redis.call('PEXPIRE', KEYS[7], math.max(settleShares() - now, redis.call('PTTL', KEYS[3])))
else
return 0
end
if raised then count(KEYS[2], raised, 0, retention, micros) else keep(KEYS[2], tonumber(retention)) end
return 1
end
local line = redis.call('EXISTS', KEYS[3]) == 1
local before = line and redis.call('PTTL', KEYS[1])
local renewed = renew()
if renewed == 0 then refuseOnReplica() end
if line then
value = purge(now, value)
newHead = newHead or redis.call('PTTL', KEYS[1]) < before
wakeHead('', value, ARGV[5])
end
return renewed`,
  },
  renewEach: {
    sha: '16db4e43e437b976cc1f336486ff87afc0019182',
    lua: `local function each(width, first, decide)
local queues, replies = {}, {}
for key = width, #KEYS, width do queues[#queues + 1] = KEYS[key] end
local lines = redis.call('EXISTS', unpack(queues)) > 0
for i = first, #ARGV do
local key = (i - first) * width + 1
local decided, reply = false, 0
if not lines or redis.call('EXISTS', KEYS[key + width - 1]) == 0 then
decided, reply = pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1])
end
replies[i - first + 1] = decided and reply or 0
end
return replies
end
local ttl, retention = ARGV[1], tonumber(ARGV[2])
return each(retention == 0 and 2 or 3, 3, function(owner, key, counter)
if redis.call('GET', key) ~= owner then return 0 end
redis.call('PEXPIRE', key, ttl)
if retention > 0 and redis.call('PTTL', counter) < retention then redis.call('PEXPIRE', counter, ARGV[2]) end
return 1
end)`,
  },
  release: {
    sha: '8b759e2b2175e627c419915d922c1d51e81c9d28',
    lua: `local owner = ARGV[1]
local value = redis.pcall('GET', KEYS[1])
local freed, line = 0, false
if value == owner then
redis.call('DEL', KEYS[1])
if redis.call('EXISTS', KEYS[3]) == 0 then return 1 end
value, freed, line = false, 1, true
end
local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local SHARED = '<shared>'
local function readTerms(terms)
local waiterTtl, inLine, barges, process, channel = string.match(terms, '^(%d+) (%d) (%d) (%S+) (.*)$')
return tonumber(waiterTtl), inLine == '1', barges == '1', process, channel
end
local function waiterOf(kind, process, owner)
return kind .. ' ' .. process .. ' ' .. owner
end
local function holder()
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'table' then return value end
if string.find(value.err, 'WRONGTYPE', 1, true) then return '' end
return redis.call('GET', KEYS[1])
end
local function refuseOnReplica()
redis.call('ZREM', KEYS[4], '')
end
local function tokenOf(counter)
return string.match(counter, '^%d+')
end
local function keep(key, span)
if redis.call('PTTL', key) < span then redis.call('PEXPIRE', key, span) end
end
local function headOfLine()
return redis.call('ZRANGE', KEYS[3], 0, 0)[1]
end
local function leaveLine(waiter)
redis.call('ZREM', KEYS[3], waiter)
redis.call('ZREM', KEYS[4], waiter)
redis.call('HDEL', KEYS[8], waiter)
end
local newHead = false
local function giveUpPlace(waiter)
newHead = newHead or headOfLine() == waiter
leaveLine(waiter)
end
local function forgetShare(owner)
redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner)
end
local function settleShares()
local last = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if not last[1] then
redis.call('DEL', KEYS[1], KEYS[5], KEYS[6])
return
end
redis.call('SET', KEYS[1], SHARED, 'PXAT', last[2])
redis.call('PEXPIREAT', KEYS[5], last[2])
redis.call('PEXPIREAT', KEYS[6], last[2])
return tonumber(last[2])
end
local function purge(now, value)
local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)
for _, waiter in ipairs(gone) do giveUpPlace(waiter) end
if value ~= SHARED then return value end
gone = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now)
if not gone[1] then return value end
for _, owner in ipairs(gone) do forgetShare(owner) end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
settleShares()
return holder()
end
local function admits(value, kind)
if not value then return true end
if value ~= SHARED or kind == 'x' then return false end
local permits = tonumber(string.sub(kind, 2))
return not permits or redis.call('ZCARD', KEYS[5]) < permits
end
local function tell(process, channel, message)
return redis.call('PUBLISH', channel .. process, message) > 0 or string.find(process, '^%d+%-c%.') ~= nil
end
local function assign(waiter, process, owner, channel)
local terms = redis.call('HGET', KEYS[8], waiter)
if not terms then return nil end
local sentAt, ttl, above, retention = string.match(terms, '^(%d+) (%d+) (%d+) (%d+)$')
local micros = tonumber(clockText)
local token = count(KEYS[2], math.max(micros, above + 1), 1, retention, micros)
if not token then return nil end
if type(token) == 'number' then token = string.format('%.0f', token) end
local deadline = redis.call('ZSCORE', KEYS[4], waiter)
local left = deadline and deadline - math.floor(micros / 1000) or math.huge
local span = math.max(1, math.min(tonumber(ttl), left, tonumber(string.match(process, '^%d+'))))
redis.call('SET', KEYS[1], owner, 'PX', span)
if tell(process, channel, string.char(10) .. token .. ' ' .. ttl .. ' ' .. sentAt .. ' ' .. owner) then
leaveLine(waiter)
return span
end
redis.call('DEL', KEYS[1])
return false
end
local function wakeHead(me, value, channel)
while true do
local head = headOfLine()
if not head or head == me then return head, false, value end
local kind, process, owner = string.match(head, '^(%S+) (%S+) (.*)$')
if not newHead and not admits(value, kind) then return head, false, value end
local span
if not value and kind == 'x' then span = assign(head, process, owner, channel) end
if span then
value = owner
newHead = span < tonumber(string.match(process, '^%d+')) / 3
elseif span == nil and tell(process, channel, owner) then
newHead = false
return head, true, value
else
newHead = true
leaveLine(head)
end
end
end
local function concernsHead(ttl, waiterTtl)
newHead = newHead or ttl < waiterTtl / 3
return newHead
end
local function keepLine(waiterTtl)
if redis.call('PTTL', KEYS[3]) >= waiterTtl then return end
redis.call('PEXPIRE', KEYS[3], waiterTtl)
redis.call('PEXPIRE', KEYS[4], waiterTtl)
end
local function stayInLine(waiter, now, waiterTtl, terms)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
local added = redis.call('ZADD', KEYS[3], 'NX', (last[2] or 0) + 1, waiter)
redis.call('ZADD', KEYS[4], now + waiterTtl, waiter)
keepLine(waiterTtl)
if terms and terms ~= '' then
redis.call('HSET', KEYS[8], waiter, terms)
keep(KEYS[8], waiterTtl)
end
return added == 1
end
local function limitDeadline(waiter, now)
local waiterTtl = tonumber(string.match(waiter, '^%S+ (%d+)%-'))
return waiterTtl and redis.call('ZADD', KEYS[4], 'XX', 'LT', 'CH', now + waiterTtl, waiter) == 1
end
local function limitDeadlines(head, now)
if not limitDeadline(head, now) then return end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do limitDeadline(waiter, now) end
end
local mustLook = {}
local function keepPlaces(first, now, waiterTtl)
if #ARGV < first then return end
local head = headOfLine()
local waiters, kept, terms = {}, {}, {}
for i = first, #ARGV, 2 do table.insert(waiters, ARGV[i]) end
for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(waiters))) do
local waiter, own = waiters[i], ARGV[first + 2 * i - 1]
if deadline then
table.insert(kept, now + waiterTtl)
table.insert(kept, waiter)
if own ~= '' then
table.insert(terms, waiter)
table.insert(terms, own)
end
end
if not deadline or waiter == head then
table.insert(mustLook, string.match(waiter, '^%S+ %S+ (.*)$'))
end
end
if not kept[1] then return end
redis.call('ZADD', KEYS[4], 'XX', unpack(kept))
keepLine(waiterTtl)
if terms[1] then
redis.call('HSET', KEYS[8], unpack(terms))
keep(KEYS[8], waiterTtl)
end
keep(KEYS[7], waiterTtl)
end
local function answer(reply)
if not mustLook[1] then return reply end
return { reply, unpack(mustLook) }
end
local function busy(me, head, value, now, waiterTtl)
local wait = math.floor(waiterTtl / 3)
if not head or head == me then
local left = redis.call('PTTL', KEYS[1])
if value == SHARED then
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if first[2] then left = first[2] - now end
end
if left >= 0 then wait = math.min(wait, left + 1) end
end
return -math.max(wait, 1)
end
local _, _, _, process, channel = readTerms(ARGV[2])
local me, now = waiterOf(ARGV[3], process, owner), clock()
if type(value) == 'table' then value = holder() end
local wasShared = value == SHARED
if wasShared then
local expiry = redis.call('ZSCORE', KEYS[5], owner)
if expiry then
if tonumber(expiry) > now then freed = 1 end
redis.call('ZREM', KEYS[5], owner)
forgetShare(owner)
settleShares()
value = holder()
end
end
line = line or redis.call('EXISTS', KEYS[3]) == 1
if freed == 0 then giveUpPlace(me) end
local head
if line then
value = purge(now, value)
head, _, value = wakeHead(me, value, channel)
end
if (line or wasShared) and not head and value ~= SHARED then redis.call('DEL', KEYS[7]) end
return freed`,
  },
  releaseEach: {
    sha: '10ec54c262cdf5682365643a0673bedecd4bd869',
    lua: `local function each(width, first, decide)
local queues, replies = {}, {}
for key = width, #KEYS, width do queues[#queues + 1] = KEYS[key] end
local lines = redis.call('EXISTS', unpack(queues)) > 0
for i = first, #ARGV do
local key = (i - first) * width + 1
local decided, reply = false, 0
if not lines or redis.call('EXISTS', KEYS[key + width - 1]) == 0 then
decided, reply = pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1])
end
replies[i - first + 1] = decided and reply or 0
end
return replies
end
return each(2, 1, function(owner, key)
if redis.call('GET', key) ~= owner then return 0 end
return redis.call('DEL', key)
end)`,
  },
  inspect: {
    sha: '6717d0efffa82d901f625a7752b6fe9221eb5bf2',
    lua: `local clockText
local function clock()
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
clockText = time[1] .. string.sub('000000', #time[2] + 1) .. time[2]
return math.floor(micros / 1000), micros
end
local HOUR = '3600000'
local function tokenReply(token, text)
if token < 2 ^ 52 then return token end
return text
end
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
if step == 1 and token == lastToken then return nil end
return tokenReply(token, text)
end
local function mint(key, above, retention, micros, taken)
local token = count(key, math.max(micros, above + 1), 1, retention, micros)
if token then return token end
if taken then redis.call('DEL', taken) end
error('LOCKS_TOKENS')
end
local SHARED = '<shared>'
local function readTerms(terms)
local waiterTtl, inLine, barges, process, channel = string.match(terms, '^(%d+) (%d) (%d) (%S+) (.*)$')
return tonumber(waiterTtl), inLine == '1', barges == '1', process, channel
end
local function waiterOf(kind, process, owner)
return kind .. ' ' .. process .. ' ' .. owner
end
local function holder()
local value = redis.pcall('GET', KEYS[1])
if type(value) ~= 'table' then return value end
if string.find(value.err, 'WRONGTYPE', 1, true) then return '' end
return redis.call('GET', KEYS[1])
end
local function refuseOnReplica()
redis.call('ZREM', KEYS[4], '')
end
local function tokenOf(counter)
return string.match(counter, '^%d+')
end
local function keep(key, span)
if redis.call('PTTL', key) < span then redis.call('PEXPIRE', key, span) end
end
local function headOfLine()
return redis.call('ZRANGE', KEYS[3], 0, 0)[1]
end
local function leaveLine(waiter)
redis.call('ZREM', KEYS[3], waiter)
redis.call('ZREM', KEYS[4], waiter)
redis.call('HDEL', KEYS[8], waiter)
end
local newHead = false
local function giveUpPlace(waiter)
newHead = newHead or headOfLine() == waiter
leaveLine(waiter)
end
local function forgetShare(owner)
redis.call('HDEL', KEYS[6], owner, string.char(10) .. owner)
end
local function settleShares()
local last = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if not last[1] then
redis.call('DEL', KEYS[1], KEYS[5], KEYS[6])
return
end
redis.call('SET', KEYS[1], SHARED, 'PXAT', last[2])
redis.call('PEXPIREAT', KEYS[5], last[2])
redis.call('PEXPIREAT', KEYS[6], last[2])
return tonumber(last[2])
end
local function purge(now, value)
local gone = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now)
for _, waiter in ipairs(gone) do giveUpPlace(waiter) end
if value ~= SHARED then return value end
gone = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now)
if not gone[1] then return value end
for _, owner in ipairs(gone) do forgetShare(owner) end
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
settleShares()
return holder()
end
local function admits(value, kind)
if not value then return true end
if value ~= SHARED or kind == 'x' then return false end
local permits = tonumber(string.sub(kind, 2))
return not permits or redis.call('ZCARD', KEYS[5]) < permits
end
local function tell(process, channel, message)
return redis.call('PUBLISH', channel .. process, message) > 0 or string.find(process, '^%d+%-c%.') ~= nil
end
local function assign(waiter, process, owner, channel)
local terms = redis.call('HGET', KEYS[8], waiter)
if not terms then return nil end
local sentAt, ttl, above, retention = string.match(terms, '^(%d+) (%d+) (%d+) (%d+)$')
local micros = tonumber(clockText)
local token = count(KEYS[2], math.max(micros, above + 1), 1, retention, micros)
if not token then return nil end
if type(token) == 'number' then token = string.format('%.0f', token) end
local deadline = redis.call('ZSCORE', KEYS[4], waiter)
local left = deadline and deadline - math.floor(micros / 1000) or math.huge
local span = math.max(1, math.min(tonumber(ttl), left, tonumber(string.match(process, '^%d+'))))
redis.call('SET', KEYS[1], owner, 'PX', span)
if tell(process, channel, string.char(10) .. token .. ' ' .. ttl .. ' ' .. sentAt .. ' ' .. owner) then
leaveLine(waiter)
return span
end
redis.call('DEL', KEYS[1])
return false
end
local function wakeHead(me, value, channel)
while true do
local head = headOfLine()
if not head or head == me then return head, false, value end
local kind, process, owner = string.match(head, '^(%S+) (%S+) (.*)$')
if not newHead and not admits(value, kind) then return head, false, value end
local span
if not value and kind == 'x' then span = assign(head, process, owner, channel) end
if span then
value = owner
newHead = span < tonumber(string.match(process, '^%d+')) / 3
elseif span == nil and tell(process, channel, owner) then
newHead = false
return head, true, value
else
newHead = true
leaveLine(head)
end
end
end
local function concernsHead(ttl, waiterTtl)
newHead = newHead or ttl < waiterTtl / 3
return newHead
end
local function keepLine(waiterTtl)
if redis.call('PTTL', KEYS[3]) >= waiterTtl then return end
redis.call('PEXPIRE', KEYS[3], waiterTtl)
redis.call('PEXPIRE', KEYS[4], waiterTtl)
end
local function stayInLine(waiter, now, waiterTtl, terms)
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
local added = redis.call('ZADD', KEYS[3], 'NX', (last[2] or 0) + 1, waiter)
redis.call('ZADD', KEYS[4], now + waiterTtl, waiter)
keepLine(waiterTtl)
if terms and terms ~= '' then
redis.call('HSET', KEYS[8], waiter, terms)
keep(KEYS[8], waiterTtl)
end
return added == 1
end
local function limitDeadline(waiter, now)
local waiterTtl = tonumber(string.match(waiter, '^%S+ (%d+)%-'))
return waiterTtl and redis.call('ZADD', KEYS[4], 'XX', 'LT', 'CH', now + waiterTtl, waiter) == 1
end
local function limitDeadlines(head, now)
if not limitDeadline(head, now) then return end
for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do limitDeadline(waiter, now) end
end
local mustLook = {}
local function keepPlaces(first, now, waiterTtl)
if #ARGV < first then return end
local head = headOfLine()
local waiters, kept, terms = {}, {}, {}
for i = first, #ARGV, 2 do table.insert(waiters, ARGV[i]) end
for i, deadline in ipairs(redis.call('ZMSCORE', KEYS[4], unpack(waiters))) do
local waiter, own = waiters[i], ARGV[first + 2 * i - 1]
if deadline then
table.insert(kept, now + waiterTtl)
table.insert(kept, waiter)
if own ~= '' then
table.insert(terms, waiter)
table.insert(terms, own)
end
end
if not deadline or waiter == head then
table.insert(mustLook, string.match(waiter, '^%S+ %S+ (.*)$'))
end
end
if not kept[1] then return end
redis.call('ZADD', KEYS[4], 'XX', unpack(kept))
keepLine(waiterTtl)
if terms[1] then
redis.call('HSET', KEYS[8], unpack(terms))
keep(KEYS[8], waiterTtl)
end
keep(KEYS[7], waiterTtl)
end
local function answer(reply)
if not mustLook[1] then return reply end
return { reply, unpack(mustLook) }
end
local function busy(me, head, value, now, waiterTtl)
local wait = math.floor(waiterTtl / 3)
if not head or head == me then
local left = redis.call('PTTL', KEYS[1])
if value == SHARED then
local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
if first[2] then left = first[2] - now end
end
if left >= 0 then wait = math.min(wait, left + 1) end
end
return -math.max(wait, 1)
end
refuseOnReplica()
local now = clock()
local value = holder()
local reply = { redis.call('ZCOUNT', KEYS[4], '(' .. string.format('%.0f', now), '+inf') }
if value == SHARED then
local shares = redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
for i = 1, #shares, 2 do
local token = redis.call('HGET', KEYS[6], shares[i]) or ''
for _, part in ipairs({ shares[i], 'shared', token, shares[i + 1] - now }) do table.insert(reply, part) end
end
elseif value then
local left = redis.call('PTTL', KEYS[1])
local token = string.match(redis.call('GET', KEYS[2]) or '', '^%d*')
for _, part in ipairs({ value, 'exclusive', token, left }) do table.insert(reply, part) end
end
return reply`,
  },
  time: {
    sha: '32e3ec244dfb7065e06bf0113c2ce034bceeb466',
    lua: `local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)`,
  },
  register: {
    sha: 'b5ed6a21a233c491a7e4d0b5abd46bfb649bef0a',
    lua: `local text = redis.call('GET', KEYS[1]) or ''
redis.call('PERSIST', KEYS[1])
if ARGV[2] and (text == ARGV[1] or text == ARGV[2]) then
text = ARGV[2]
if text == '' then
redis.call('DEL', KEYS[1])
else
redis.call('SET', KEYS[1], text)
end
end
return { text }`,
  },
  initialise: {
    sha: 'eee107675b0a9f336a4f42265d3ef4f7310fca9a',
    lua: `local run = string.match(redis.call('INFO', 'server'), 'run_id:%x+')
redis.call('SET', KEYS[1], run .. ' 0')
return 1`,
  },
  fencedSet: {
    sha: 'b075809c9d8537a50c5d7ac115f6705d63ba2c8e',
    lua: `local function fence(key, token)
local seen = redis.call('GET', key)
if seen and (#seen > #token or (#seen == #token and seen > token)) then return redis.error_reply('LOCKS_STALE ' .. seen) end
redis.call('SET', key, token)
return nil
end
local refused = fence(KEYS[2], ARGV[1])
if refused then return refused end
redis.call('SET', KEYS[1], ARGV[2])
return 1`,
  },
};

/** The Lua function `fence(key, token)`, for a script of your own: see `lua/fence.lua`. */
export const fenceLua: string = `local function fence(key, token)
local seen = redis.call('GET', key)
if seen and (#seen > #token or (#seen == #token and seen > token)) then return redis.error_reply('LOCKS_STALE ' .. seen) end
redis.call('SET', key, token)
return nil
end`;
