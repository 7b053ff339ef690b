-- The keys of a range that are held or waited for, in the order of their bytes.
-- ?        1 the first key, 2 the key after the last, 3 the key before the first (all hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `key` >= UNHEX(?) AND `key` < UNHEX(?) AND `key` > UNHEX(?) AND (`held_until` > {clock} OR `line_until` > {clock})
ORDER BY `locks`.`key` LIMIT {limit}
