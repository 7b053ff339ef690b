-- Removes the rows of idle keys of a range: see the procedure.
-- ?        1 retention (µs), 2 how many keys at most, 3 the key before the first, 4 the last key or NULL (both hexadecimal)
-- Returns  how many keys it was.
CALL `locks_sweep`(CAST(? AS SIGNED), CAST(? AS SIGNED), UNHEX(?), UNHEX(?))
