-- Sends this process an empty message, over a connection other than the one that listens.
-- $1 this process
-- Returns nothing.
SELECT pg_notify('locks_' || $1::text, '')
