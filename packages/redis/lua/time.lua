-- Reads the server's clock.
-- Returns the ms since 1970.
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
