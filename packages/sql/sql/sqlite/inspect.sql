-- Who holds the key, and how many wait.
-- :key, :now
-- Returns a row for each holder, the earliest token first (mode, owner, token, expires), and one with the number of those in line (mode null).
SELECT 'exclusive' AS mode, owner, version AS token, held_until AS expires
FROM "locks" WHERE key = :key AND owner IS NOT NULL AND held_until > :now
UNION ALL
SELECT 'shared', owner, token, expires FROM "locks_shares" WHERE key = :key AND expires > :now
UNION ALL
SELECT NULL, NULL, count(*), NULL FROM "locks_line" WHERE key = :key AND deadline > :now
ORDER BY token;
