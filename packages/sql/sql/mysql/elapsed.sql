-- Part of other statements, in place of {elapsed}: how long the statement has been under way. See clock.sql.
-- Returns  the microseconds since it began.
(MOD(TIMESTAMPDIFF(MICROSECOND, NOW(6), SYSDATE(6)) + 87300000000, 1800000000) - 900000000)
