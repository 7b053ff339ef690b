-- Ends a hold of any mode, or leaves the line.
-- $1 key, $2 owner, $3 this process, $4 longest wait for the row (ms)
-- Returns whether it was held, and whose turn it is: process and owner.
SELECT freed, turn_process, turn_owner FROM "locks_release"($1::bytea, $2::text, $3::text, $4::integer)
