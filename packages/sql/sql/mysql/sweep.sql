-- Removes the rows of idle keys: see the procedure.
-- ?        1 retention (µs), 2 how many keys at most
-- Returns  how many keys it was.
CALL `locks_sweep`(CAST(? AS SIGNED), CAST(? AS SIGNED))
