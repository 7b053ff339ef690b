-- What a key's shares come to.
-- :key
-- Returns their number, the earliest and the latest expiry, and the permits they were taken with.
SELECT count(*) AS number, min(expires) AS first, max(expires) AS last, max(permits) AS permits
FROM "locks_shares" WHERE key = :key;
