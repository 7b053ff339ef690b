-- How far one step of the sweep goes.
-- ?        1 the key before the first (hexadecimal)
-- Returns  the last key (hexadecimal); no row when fewer are left.
SELECT HEX(`key`) AS `key` FROM `locks` WHERE `key` > UNHEX(?) ORDER BY `locks`.`key` LIMIT 1 OFFSET {offset}
