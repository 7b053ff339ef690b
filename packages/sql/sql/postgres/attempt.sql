-- Any attempt.
-- $1 key, $2 owner, $3 ttl (ms), $4 the token must exceed this, $5 permits (NULL: exclusive; 0: any number), $6 whether nobody passes the
-- line, $7 whether to take a place, $8 this process, $9 ttl of a place (ms), $10 other owners to be kept in line,
-- $11 longest wait for the row (ms)
-- Returns the token, ms until the next attempt, why it was refused, the permits in use, and whose turn it is: process and owner.
SELECT token, retry_ms, refusal, permits_in_use, turn_process, turn_owner
FROM "locks_acquire"(
  $1::bytea, $2::text, $3::integer, $4::bigint, $5::integer, $6::boolean, $7::boolean, $8::text, $9::integer, $10::text[], $11::integer
)
