-- Parts of other statements: the time on the server.

-- name: clock
-- Part of other statements, in place of {clock}: the server's clock.
-- Returns  the microseconds since 1970 in UTC, at the evaluation.
-- UTC_TIMESTAMP is right in any time zone of the session, but it is when the statement began.
-- The statement may have waited for a row since. SYSDATE is the time of its evaluation, but in
-- the session's time zone, which may have changed to summer time since. The sum takes the first,
-- and adds how far the second has moved on. It ignores half hours, which are changes of the time
-- zone: no statement of this package takes a quarter of an hour.
(TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + {elapsed})

-- name: elapsed
-- Part of other statements, in place of {elapsed}: how long the statement has been under way. See
-- above.
-- Returns  the microseconds since it began.
(MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000)
