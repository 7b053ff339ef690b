-- All that one statement on the key's row cannot decide: see the procedure.
-- ?        1 acquire, renew or release; 2 key (hexadecimal), 3 owner, 4 ttl (µs), 5 floor or token, 6 permits, 7 process, 8 ttl of a place (µs),
--          9 other owners, 10 fair, 11 how long it may have waited for the row (µs)
-- Returns  outcome, answer, turn_process, turn_owner.
CALL `locks_act`(
  ?, UNHEX(?), ?, CAST(? AS SIGNED), CAST(? AS SIGNED), CAST(? AS SIGNED), ?, CAST(? AS SIGNED), ?,
  CAST(? AS SIGNED), UTC_TIMESTAMP(6), CAST(? AS SIGNED)
)
