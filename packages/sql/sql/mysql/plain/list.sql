-- The keys of a range that are held, in the order of their bytes.
-- ?        1 the first key, 2 the key after the last, 3 the key before the first (all hexadecimal)
-- Returns  key (hexadecimal).
SELECT HEX(`key`) AS `key` FROM `locks`
WHERE `key` >= UNHEX(?) AND `key` < UNHEX(?) AND `key` > UNHEX(?) AND `owner` IS NOT NULL AND `held_until` > {now}
ORDER BY `locks`.`key` LIMIT {limit}
