-- Part of other statements, in place of {now}: the server's clock when the statement began, the same at each place of the statement.
-- Returns  the microseconds since 1970 in UTC.
TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))
