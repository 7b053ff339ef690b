-- Who holds a key, and how many wait: see the procedure.
-- ?        1 key (hexadecimal)
-- Returns  mode, owner, token, remaining.
CALL `locks_inspect`(UNHEX(?))
