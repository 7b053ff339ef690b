-- Restarts the ttl of a hold of any mode.
-- $1 key, $2 owner, $3 ttl (ms), $4 NULL or its token from now on, $5 this process, $6 longest wait for the row (ms)
-- Returns whether it was held, and whose turn it is: process and owner.
SELECT renewed, turn_process, turn_owner
FROM "locks_renew"($1::bytea, $2::text, $3::integer, $4::bigint, $5::text, $6::integer)
