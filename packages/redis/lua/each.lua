-- Several calls in one script.
-- Each has `width` keys of its own, the last of them its queue, and its owner in ARGV from `first`
-- on. A call whose key has a queue gets 0. `decide` gives 0, or an error, for a call that it does
-- not decide. The client sends the own script of a call that got 0. So an error of one key does not
-- touch the others. A replica refuses the first write, and so all of them.
local function each(width, first, decide)
  local queues, replies = {}, {}
  for key = width, #KEYS, width do queues[#queues + 1] = KEYS[key] end
  -- Nearly always no key has a queue: one command instead of one for each.
  local waited = redis.call('EXISTS', unpack(queues)) > 0
  for i = first, #ARGV do
    local key = (i - first) * width + 1
    local decided, reply = false, 0
    if not waited or redis.call('EXISTS', KEYS[key + width - 1]) == 0 then
      decided, reply = pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1])
      local refusal = not decided and string.match(reply.err or reply, 'READONLY.*')
      if refusal then return redis.error_reply(refusal) end
    end
    replies[i - first + 1] = decided and reply or 0
  end
  return replies
end
