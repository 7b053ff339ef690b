-- Several calls in one script.
-- Each has `width` keys of its own, and its owner in ARGV from `first` on. `decide` gives 0, or an
-- error, for a call that it does not decide: the client sends that call's own script. So an error
-- of one key does not touch the others.
local function each(width, first, decide)
  local replies = {}
  for i = first, #ARGV do
    local key = (i - first) * width + 1
    local decided, reply = pcall(decide, ARGV[i], KEYS[key], KEYS[key + 1], KEYS[key + 2])
    replies[i - first + 1] = decided and reply or 0
  end
  return replies
end
