-- The tables and routines of @locks/sql, layout 1, for MariaDB 10.6, MySQL 8.0 and newer:
--   mariadb --user=admin --password the_database < 0001-locks.sql
-- They belong to whoever runs this, in the database of the connection. Other names, or another
-- database: replace every name in backticks that begins with locks. May be run again, whether it
-- ended or not.
--
-- A service that runs as another user needs the grants of ../grants.sql.
--
-- Times are microseconds since 1970 in UTC, by the clock of the server: numbers, so that no time
-- zone of a session matters. Keys and owners are bytes: no collation makes two of them equal.

-- One row per key: whatever decides who is admitted.
CREATE TABLE IF NOT EXISTS `locks` (
  `key` VARBINARY(512) NOT NULL,
  -- The highest fencing token minted or told.
  `version` BIGINT NOT NULL,
  -- The exclusive holder.
  `owner` VARBINARY(255) NULL,
  -- The latest expiry of any holder: free if NULL or past.
  `held_until` BIGINT NULL,
  -- How many share it, while there is no owner.
  `shares` BIGINT NOT NULL DEFAULT 0,
  -- The first in the queue; its permits as in locks_queue.
  `head_process` VARBINARY(255) NULL,
  `head_owner` VARBINARY(255) NULL,
  `head_permits` BIGINT NULL,
  `head_until` BIGINT NULL,
  -- No deadline in the queue is after it: nobody is in the queue if NULL or past.
  `queue_until` BIGINT NULL,
  -- No deadline in the queue is before it.
  `next_lapse` BIGINT NULL,
  -- When somebody in the queue gave the last sign of life: it lies ahead only where the clock was
  -- stepped back.
  `queue_seen` BIGINT NULL,
  `next_place` BIGINT NOT NULL DEFAULT 1,
  -- The owner that was given the key in the queue. It counts while it is the exclusive holder,
  -- until a call of it was answered with that hold.
  `assigned_to` VARBINARY(255) NULL,
  `assigned_process` VARBINARY(255) NULL,
  PRIMARY KEY (`key`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Fails where the name is that of another table, before anything is made.
SELECT `version`, `owner`, `held_until`, `shares`, `head_process`, `head_owner`, `head_permits`, `head_until`, `queue_until`,
  `next_lapse`, `queue_seen`, `next_place`, `assigned_to`, `assigned_process` FROM `locks` WHERE `key` IS NULL;

CREATE TABLE IF NOT EXISTS `locks_shares` (
  `key` VARBINARY(512) NOT NULL,
  `owner` VARBINARY(255) NOT NULL,
  `token` BIGINT NOT NULL,
  `expires` BIGINT NOT NULL,
  -- 0: any number.
  `permits` BIGINT NOT NULL,
  PRIMARY KEY (`key`, `owner`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- An owner has one place on a key, which the lock on the key's row sees to: a unique index would
-- lock the gaps between its rows.
CREATE TABLE IF NOT EXISTS `locks_queue` (
  `key` VARBINARY(512) NOT NULL,
  `place` BIGINT NOT NULL,
  `owner` VARBINARY(255) NOT NULL,
  `process` VARBINARY(255) NOT NULL,
  -- NULL: exclusive. 0: shared by any number.
  `permits` BIGINT NULL,
  -- The last sign of life of its owner, and when the place is forfeit: the difference is how long
  -- it lasts.
  `seen` BIGINT NOT NULL,
  `deadline` BIGINT NOT NULL,
  -- Of its claim: its ttl (0: not known), and what its token must exceed.
  `ttl` BIGINT NOT NULL DEFAULT 0,
  `floor` BIGINT NULL,
  PRIMARY KEY (`key`, `place`),
  KEY `owner` (`key`, `owner`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- One row, about all of them.
CREATE TABLE IF NOT EXISTS `locks_layout` (
  `version` INT NOT NULL,
  -- Packages made for this layout, and for later ones, can use the tables.
  `readable_from` INT NOT NULL,
  -- No token of a row that was removed exceeds it.
  `swept` BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (`version`)
) ENGINE = InnoDB;

-- The guard's rows: the highest token that each resource has seen.
CREATE TABLE IF NOT EXISTS `locks_fences` (
  `resource` VARBINARY(512) NOT NULL,
  `token` BIGINT NOT NULL,
  PRIMARY KEY (`resource`)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

DROP PROCEDURE IF EXISTS `locks_act`;
DROP PROCEDURE IF EXISTS `locks_act_and_wake`;
DROP PROCEDURE IF EXISTS `locks_ended`;
DROP PROCEDURE IF EXISTS `locks_give`;
DROP PROCEDURE IF EXISTS `locks_head`;
DROP PROCEDURE IF EXISTS `locks_inspect`;
DROP PROCEDURE IF EXISTS `locks_sweep`;

DELIMITER //
-- Procedures of the next one, which have its rights: not functions, as a server with a binary log
-- lets few users make these.

-- Whether a process in the queue has certainly ended. A name with a plus sign is that of a session
-- of one server, which keeps a named lock for as long as it lasts. The process that asks lasts,
-- also where a session of it has ended.
CREATE PROCEDURE `locks_ended`(process VARBINARY(255), in_process VARBINARY(255), OUT ended BOOLEAN)
NO SQL
SQL SECURITY INVOKER
BEGIN
  SET ended = LOCATE('+', process) > 0 AND SUBSTRING_INDEX(process, '+', 1) <> in_process
    AND SUBSTRING_INDEX(process, '@', -1) = LEFT(MD5(CONCAT_WS(' ', @@hostname, @@port, @@server_id)), 8)
    AND IS_USED_LOCK(CONCAT('locks_', process)) IS NULL;
END//

-- The head of a queue, NULL if there is none: the first place of a process that has not ended, or
-- of by_owner. The places before it lapse in their time.
CREATE PROCEDURE `locks_head`(
  of_key VARBINARY(512),
  by_owner VARBINARY(255),
  in_process VARBINARY(255),
  OUT head_process VARBINARY(255),
  OUT head_owner VARBINARY(255),
  OUT head_permits BIGINT,
  OUT head_until BIGINT
)
READS SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE head_place, passed BIGINT DEFAULT 0;
  DECLARE ended BOOLEAN DEFAULT TRUE;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = FALSE, head_process = NULL, head_owner = NULL, head_permits = NULL, head_until = NULL;
  WHILE ended DO
    SET passed = head_place;
    SELECT `process`, `owner`, `permits`, `deadline`, `place` INTO head_process, head_owner, head_permits, head_until, head_place
      FROM `locks_queue` WHERE `key` = of_key AND `place` > passed ORDER BY `place` LIMIT 1;
    IF head_owner = by_owner THEN
      SET ended = FALSE;
    ELSEIF ended THEN
      CALL `locks_ended`(head_process, in_process, ended);
    END IF;
  END WHILE;
  IF passed > 0 AND head_owner IS NOT NULL THEN
    -- A process of which one place counts has not ended. Its claims keep their order, though a
    -- place before that has the name of another session of it.
    SELECT `owner`, `permits`, `deadline` INTO head_owner, head_permits, head_until
      FROM `locks_queue`
      WHERE `key` = of_key AND `place` <= head_place AND SUBSTRING_INDEX(`process`, '+', 1) = SUBSTRING_INDEX(head_process, '+', 1)
      ORDER BY `place` LIMIT 1;
  END IF;
END//

-- Gives the key to the head of its queue, for no longer than its place would have lasted, as its
-- process may be gone. The head is then the next one: whether its process has ended is asked when
-- its turn comes. version is the token, and span how long it lasts. NULL: its hold could end before
-- its claim finds it, so it has to try again.
CREATE PROCEDURE `locks_give`(
  of_key VARBINARY(512),
  now_at BIGINT,
  waiter_ttl BIGINT,
  INOUT version BIGINT,
  INOUT head_process VARBINARY(255),
  INOUT head_owner VARBINARY(255),
  INOUT head_permits BIGINT,
  INOUT head_until BIGINT,
  OUT span BIGINT
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE head_ttl, head_floor, head_place BIGINT;
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET head_process = NULL, head_owner = NULL, head_permits = NULL, head_until = NULL;
  SELECT `ttl`, `floor`, `place` INTO head_ttl, head_floor, head_place FROM `locks_queue` WHERE `key` = of_key AND `owner` = head_owner;
  IF head_ttl * 2 >= waiter_ttl THEN
    SET span = LEAST(head_ttl, head_until - now_at), version = GREATEST(version + 1, COALESCE(head_floor + 1, 0), now_at);
    DELETE FROM `locks_queue` WHERE `key` = of_key AND `place` = head_place;
    SELECT `process`, `owner`, `permits`, `deadline` INTO head_process, head_owner, head_permits, head_until
      FROM `locks_queue` WHERE `key` = of_key ORDER BY `place` LIMIT 1;
  END IF;
END//

-- Protocol 3, the directed hand-off queue, for one key: all that one statement on the key's row
-- cannot decide. Spans are in microseconds, lists of owners in hexadecimal with commas.
--   act           acquire, renew or release
--   claim_token   acquire: the token must exceed it; renew: NULL, or the token that this lease gets
--   claim_permits NULL: exclusive; 0: shared by any number
--   queue_process NULL, or the process of a claim that takes a position; release: who releases
--   other_owners  of this process, in the queue on this key, to be kept there
--   joining       further exclusive claims of this process, with the same ttl and token, that come
--                 behind this one for the first time
--   called_at     UTC_TIMESTAMP(6) of the call: after time_limit from then on nothing takes effect
--   woken         the session to be woken, of another process, or NULL
-- Answers with one row: outcome (granted, busy, upgrade, done), answer (the token; the ms until the
-- next attempt; 1 if it renewed or freed a hold), the process and owner to be told that it is their
-- turn, or NULL, and missing: those of other_owners that are not in the queue, as each may have been
-- given the key, and those of joining that were not put in the queue.
CREATE PROCEDURE `locks_act`(
  act VARBINARY(10),
  claim_key VARBINARY(512),
  claim_owner VARBINARY(255),
  claim_ttl BIGINT,
  claim_token BIGINT,
  claim_permits BIGINT,
  queue_process VARBINARY(255),
  waiter_ttl BIGINT,
  other_owners LONGBLOB,
  joining LONGBLOB,
  repeated BOOLEAN,
  called_at DATETIME(6),
  time_limit BIGINT,
  OUT woken VARBINARY(255)
)
MODIFIES SQL DATA
SQL SECURITY DEFINER
BEGIN
  DECLARE now_at, row_version, row_held_until, row_shares, row_queue_until, row_next_lapse, row_next_place BIGINT;
  DECLARE row_queue_seen, head_seen, forfeit, doubt BIGINT;
  DECLARE row_owner, row_head_process, row_head_owner VARBINARY(255);
  DECLARE row_head_permits, row_head_until BIGINT;
  DECLARE first_expiry, own_token, own_place, answer BIGINT;
  DECLARE can_go, is_kept, head_ended BOOLEAN DEFAULT FALSE;
  DECLARE row_assigned_to, row_assigned_process, turn_process, turn_owner VARBINARY(255);
  DECLARE turn_token, turn_span BIGINT;
  DECLARE outcome VARBINARY(10) DEFAULT 'done';
  DECLARE usual_wait BIGINT DEFAULT @@session.innodb_lock_wait_timeout;
  -- It lasts, also where a session of it has ended.
  DECLARE this_process VARBINARY(255) DEFAULT SUBSTRING_INDEX(COALESCE(queue_process, ''), '+', 1);
  DECLARE own_session, one_owner VARBINARY(255);
  DECLARE others_left LONGBLOB DEFAULT other_owners;
  DECLARE joining_left LONGBLOB DEFAULT joining;
  DECLARE missing LONGTEXT CHARACTER SET ascii;

  -- Fails within a transaction: this procedure has its own, and ends nobody else's.
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION READ WRITE;
  BEGIN
    DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
      ROLLBACK;
      SET SESSION innodb_lock_wait_timeout = usual_wait;
      RESIGNAL;
    END;
    SET SESSION innodb_lock_wait_timeout = GREATEST(1, (time_limit + 999999) DIV 1000000);

    -- Whoever tries without a position in the queue finds a key that somebody else has, most often.
    -- That needs no lock, and no turn behind all who want one: the first in the queue cannot go
    -- either, and nobody is to be purged.
    IF act = 'acquire' AND queue_process IS NULL THEN
      SET now_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6));
      SELECT LEAST(IF(`head_owner` IS NULL OR `head_owner` = claim_owner, `held_until` - now_at, waiter_ttl), waiter_ttl DIV 3)
          DIV 1000 + 1
        INTO answer
        FROM `locks` WHERE `key` = claim_key AND `held_until` > now_at AND `owner` <> claim_owner
          AND COALESCE(`next_lapse` > now_at, TRUE);
    END IF;

    IF answer IS NOT NULL THEN
      SET outcome = 'busy';
    ELSE
      -- The key's row first: whoever has it has the key, and what is read afterwards is what others
      -- have committed.
      look: LOOP
        SELECT `version`, `owner`, `held_until`, `shares`, `head_process`, `head_owner`, `head_permits`, `head_until`,
            `queue_until`, `next_lapse`, `queue_seen`, `next_place`, IF(`assigned_to` = `owner`, `assigned_to`, NULL),
            `assigned_process`
          INTO row_version, row_owner, row_held_until, row_shares, row_head_process, row_head_owner, row_head_permits,
            row_head_until, row_queue_until, row_next_lapse, row_queue_seen, row_next_place, row_assigned_to,
            row_assigned_process
          FROM `locks` WHERE `key` = claim_key FOR UPDATE;
        IF row_version IS NOT NULL OR act <> 'acquire' THEN LEAVE look; END IF;
        -- Not INSERT IGNORE: several who found their row there would share a lock on it, and none
        -- of them could go on.
        INSERT INTO `locks` (`key`, `version`)
          SELECT claim_key, COALESCE(MAX(`swept`), 0) FROM `locks_layout`
          ON DUPLICATE KEY UPDATE `locks`.`version` = `locks`.`version`;
      END LOOP;
      -- After the wait for the row: each statement of a procedure has a time of its own.
      SET now_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6));
      IF TIMESTAMPDIFF(MICROSECOND, called_at, UTC_TIMESTAMP(6)) > time_limit THEN
        SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205, MESSAGE_TEXT = 'The key row was locked for too long.';
      END IF;
      -- This procedure has the rights of its owner, whom such a server may not refuse. It is a
      -- replica by now, or about to become one.
      IF CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') THEN
        SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'The server is read only.';
      END IF;

      IF row_version IS NULL THEN
        SET answer = 0;
      ELSE
        -- Purge.
        IF row_next_lapse <= now_at OR row_queue_seen > now_at THEN
          -- After the clock was stepped back, a place lasts no longer from now on than it did from
          -- its last sign of life.
          UPDATE `locks_queue` SET `deadline` = now_at + `deadline` - `seen` WHERE `key` = claim_key AND `seen` > now_at;
          UPDATE `locks_queue` SET `seen` = now_at WHERE `key` = claim_key AND `seen` > now_at;
          SET row_queue_seen = LEAST(row_queue_seen, now_at);
          DELETE FROM `locks_queue` WHERE `key` = claim_key AND `deadline` <= now_at;
          SELECT MIN(`deadline`), MAX(`deadline`) INTO row_next_lapse, row_queue_until FROM `locks_queue` WHERE `key` = claim_key;
          SET row_head_owner = NULL;
        END IF;
        IF row_shares > 0 THEN
          SELECT MIN(`expires`) INTO first_expiry FROM `locks_shares` WHERE `key` = claim_key;
          IF first_expiry <= now_at THEN
            DELETE FROM `locks_shares` WHERE `key` = claim_key AND `expires` <= now_at;
          END IF;
          SELECT COUNT(*), MIN(`expires`), MAX(`expires`) INTO row_shares, first_expiry, row_held_until
            FROM `locks_shares` WHERE `key` = claim_key;
        ELSEIF row_held_until <= now_at THEN
          SET row_owner = NULL, row_held_until = NULL;
        END IF;

        -- One by one, each by its index: to look for all in one statement reads the whole queue.
        WHILE others_left <> '' DO
          SET one_owner = UNHEX(SUBSTRING_INDEX(others_left, ',', 1)), others_left = SUBSTRING(others_left, 2 * LENGTH(one_owner) + 2);
          UPDATE `locks_queue` SET `seen` = now_at, `deadline` = now_at + waiter_ttl, `process` = queue_process
            WHERE `key` = claim_key AND `owner` = one_owner;
          IF ROW_COUNT() = 0 THEN SET missing = CONCAT_WS(',', missing, HEX(one_owner)); END IF;
        END WHILE;
        IF other_owners IS NOT NULL AND row_queue_until IS NOT NULL THEN
          SET row_queue_until = GREATEST(row_queue_until, now_at + waiter_ttl), row_queue_seen = now_at, row_head_owner = NULL;
        END IF;
        IF act = 'acquire' AND repeated AND queue_process IS NOT NULL AND row_queue_until IS NOT NULL THEN
          -- A session of this process has ended: to others, all that wait in it have.
          SELECT `process` INTO own_session FROM `locks_queue` WHERE `key` = claim_key AND `owner` = claim_owner;
          IF own_session <> queue_process THEN
            UPDATE `locks_queue` SET `process` = queue_process WHERE `key` = claim_key AND `process` = own_session;
            SET row_head_owner = NULL;
          END IF;
        END IF;
        IF row_queue_until IS NOT NULL THEN
          IF row_head_owner <> claim_owner AND NOT (row_head_process <=> queue_process) THEN
            CALL `locks_ended`(row_head_process, this_process, head_ended);
          END IF;
          -- With nobody at its head, a queue has only such.
          IF row_head_owner IS NULL OR head_ended THEN
            CALL `locks_head`(claim_key, claim_owner, this_process, row_head_process, row_head_owner, row_head_permits, row_head_until);
          END IF;
        END IF;

        IF row_shares > 0 THEN
          SELECT `token` INTO own_token FROM `locks_shares` WHERE `key` = claim_key AND `owner` = claim_owner;
        END IF;

        IF act = 'release' THEN
          SET answer = 0;
          IF row_owner = claim_owner THEN
            SET row_owner = NULL, row_held_until = NULL, answer = 1;
          ELSEIF own_token IS NOT NULL THEN
            DELETE FROM `locks_shares` WHERE `key` = claim_key AND `owner` = claim_owner;
            SELECT COUNT(*), MIN(`expires`), MAX(`expires`) INTO row_shares, first_expiry, row_held_until
              FROM `locks_shares` WHERE `key` = claim_key;
            SET answer = 1;
          END IF;
          -- A holder is not in it.
          IF answer = 0 AND row_queue_until IS NOT NULL THEN
            DELETE FROM `locks_queue` WHERE `key` = claim_key AND `owner` = claim_owner;
            SET row_head_owner = NULLIF(row_head_owner, claim_owner);
          END IF;

        ELSEIF act = 'renew' THEN
          SET answer = 0;
          IF row_owner = claim_owner AND row_version <= COALESCE(claim_token, row_version) THEN
            SET row_held_until = now_at + claim_ttl, row_assigned_to = NULL, answer = 1;
          ELSEIF own_token <= COALESCE(claim_token, own_token) THEN
            UPDATE `locks_shares` SET `expires` = now_at + claim_ttl, `token` = COALESCE(claim_token, own_token)
              WHERE `key` = claim_key AND `owner` = claim_owner;
            SELECT MAX(`expires`) INTO row_held_until FROM `locks_shares` WHERE `key` = claim_key;
            SET answer = 1;
          END IF;
          IF answer = 1 THEN
            SET row_version = GREATEST(row_version, COALESCE(claim_token, row_version));
          END IF;

        ELSEIF row_owner = claim_owner THEN
          -- It was assigned before this floor was told, so no attempt has its token yet.
          IF repeated AND row_assigned_to IS NOT NULL AND claim_token >= row_version THEN
            SET row_version = GREATEST(claim_token + 1, now_at);
          END IF;
          SET outcome = 'granted', answer = row_version, row_held_until = now_at + claim_ttl, row_assigned_to = NULL;
          IF claim_permits IS NOT NULL THEN
            INSERT INTO `locks_shares` (`key`, `owner`, `token`, `expires`, `permits`)
              VALUES (claim_key, claim_owner, row_version, row_held_until, claim_permits);
            SET row_owner = NULL, row_shares = 1;
          END IF;

        ELSEIF own_token IS NOT NULL AND claim_permits IS NULL THEN
          SET outcome = 'upgrade';

        ELSEIF own_token IS NOT NULL THEN
          UPDATE `locks_shares` SET `expires` = now_at + claim_ttl WHERE `key` = claim_key AND `owner` = claim_owner;
          SELECT MAX(`expires`) INTO row_held_until FROM `locks_shares` WHERE `key` = claim_key;
          SET outcome = 'granted', answer = own_token;

        ELSEIF (row_head_owner IS NULL OR row_head_owner = claim_owner) AND (
          row_held_until IS NULL
          OR (row_owner IS NULL AND claim_permits IS NOT NULL AND (claim_permits = 0 OR row_shares < claim_permits))
        ) THEN
          IF row_queue_until IS NOT NULL THEN
            DELETE FROM `locks_queue` WHERE `key` = claim_key AND `owner` = claim_owner;
            SET row_head_owner = NULLIF(row_head_owner, claim_owner);
          END IF;
          SET row_version = GREATEST(row_version + 1, claim_token + 1, now_at), outcome = 'granted', answer = row_version;
          SET row_held_until = GREATEST(COALESCE(row_held_until, 0), now_at + claim_ttl);
          IF claim_permits IS NULL THEN
            SET row_owner = claim_owner;
          ELSE
            INSERT INTO `locks_shares` (`key`, `owner`, `token`, `expires`, `permits`)
              VALUES (claim_key, claim_owner, row_version, now_at + claim_ttl, claim_permits);
            SET row_shares = row_shares + 1;
          END IF;

        ELSE
          SET outcome = 'busy';
          IF queue_process IS NOT NULL THEN
            -- A first attempt may have been made before, and its answer lost.
            SELECT `place` INTO own_place FROM `locks_queue` WHERE `key` = claim_key AND `owner` = claim_owner;
            IF own_place IS NULL THEN
              INSERT INTO `locks_queue` (`key`, `place`, `owner`, `process`, `permits`, `seen`, `deadline`, `ttl`, `floor`)
                VALUES (claim_key, row_next_place, claim_owner, queue_process, claim_permits, now_at, now_at + waiter_ttl,
                  claim_ttl, claim_token);
              SET row_next_place = row_next_place + 1;
            ELSE
              UPDATE `locks_queue`
                SET `process` = queue_process, `permits` = claim_permits, `seen` = now_at, `deadline` = now_at + waiter_ttl, `ttl` = claim_ttl,
                  `floor` = claim_token
                WHERE `key` = claim_key AND `place` = own_place;
            END IF;
            SET row_queue_seen = now_at;
            SET row_queue_until = GREATEST(COALESCE(row_queue_until, 0), now_at + waiter_ttl);
            SET row_head_until = IF(row_head_owner = claim_owner, now_at + waiter_ttl, row_head_until);
            SET row_next_lapse = LEAST(COALESCE(row_next_lapse, now_at + waiter_ttl), now_at + waiter_ttl);
          END IF;
        END IF;

        -- This one has the key, or is in the queue before them. A claim that has something already
        -- decides alone.
        WHILE joining_left <> '' DO
          SET one_owner = UNHEX(SUBSTRING_INDEX(joining_left, ',', 1)), joining_left = SUBSTRING(joining_left, 2 * LENGTH(one_owner) + 2);
          SET own_token = NULL;
          IF row_shares > 0 THEN
            SELECT `token` INTO own_token FROM `locks_shares` WHERE `key` = claim_key AND `owner` = one_owner;
          END IF;
          IF own_token IS NOT NULL OR row_owner = one_owner OR outcome NOT IN ('granted', 'busy') OR EXISTS (
            SELECT 1 FROM `locks_queue` WHERE `key` = claim_key AND `owner` = one_owner
          ) THEN
            SET missing = CONCAT_WS(',', missing, HEX(one_owner));
          ELSE
            INSERT INTO `locks_queue` (`key`, `place`, `owner`, `process`, `seen`, `deadline`, `ttl`, `floor`)
              VALUES (claim_key, row_next_place, one_owner, queue_process, now_at, now_at + waiter_ttl, claim_ttl, claim_token);
            SET row_next_place = row_next_place + 1, row_queue_seen = now_at;
            SET row_queue_until = GREATEST(COALESCE(row_queue_until, 0), now_at + waiter_ttl);
            SET row_next_lapse = LEAST(COALESCE(row_next_lapse, now_at + waiter_ttl), now_at + waiter_ttl);
          END IF;
        END WHILE;

        -- The first in the queue, who is told at the end of every call if it can go.
        IF row_head_owner IS NULL AND COALESCE(row_queue_until, row_head_until) IS NOT NULL THEN
          CALL `locks_head`(claim_key, claim_owner, this_process, row_head_process, row_head_owner, row_head_permits, row_head_until);
          IF row_head_owner IS NULL THEN
            IF NOT EXISTS (SELECT 1 FROM `locks_queue` WHERE `key` = claim_key) THEN
              SET row_queue_until = NULL, row_next_lapse = NULL;
            END IF;
          END IF;
        END IF;
        SET can_go = COALESCE(row_head_owner <> claim_owner AND (
          row_held_until IS NULL
          OR (row_owner IS NULL AND row_head_permits IS NOT NULL AND (row_head_permits = 0 OR row_shares < row_head_permits))
        ), FALSE);
        IF can_go THEN
          SET turn_process = row_head_process, turn_owner = row_head_owner;
        END IF;
        IF can_go AND row_head_permits IS NULL THEN
          CALL `locks_give`(claim_key, now_at, waiter_ttl, row_version, row_head_process, row_head_owner, row_head_permits, row_head_until, turn_span);
          IF turn_span IS NOT NULL THEN
            SET can_go = FALSE, turn_token = row_version, row_owner = turn_owner, row_assigned_to = turn_owner,
              row_assigned_process = turn_process, row_held_until = now_at + turn_span;
            IF row_head_owner IS NULL THEN
              SET row_queue_until = NULL, row_next_lapse = NULL;
            END IF;
          END IF;
        END IF;
        -- One whose place was just kept must look when the hold of another would expire.
        SET is_kept = NOT can_go AND row_head_owner <> claim_owner AND COALESCE(FIND_IN_SET(HEX(row_head_owner), other_owners), 0) > 0;
        -- Who comes again and finds that the first in the queue could go and did not doubts that it
        -- lives: that one forfeits its place if it does not come within a sixth of the time that it
        -- lasts. One who comes for the first time may have come between the message and its answer.
        IF can_go AND outcome = 'busy' AND own_place IS NOT NULL AND row_head_process <> queue_process THEN
          SELECT `seen` INTO head_seen FROM `locks_queue` WHERE `key` = claim_key AND `owner` = row_head_owner;
          SET forfeit = now_at + (row_head_until - head_seen) DIV 6;
          IF forfeit < row_head_until THEN
            UPDATE `locks_queue` SET `seen` = head_seen - (row_head_until - forfeit), `deadline` = forfeit
              WHERE `key` = claim_key AND `owner` = row_head_owner;
            SET row_head_until = forfeit, row_next_lapse = LEAST(row_next_lapse, forfeit);
          END IF;
          -- Clients come up to a tenth earlier than they are told.
          SET doubt = (row_head_until - now_at) DIV 900 + 2;
        END IF;
        IF outcome = 'busy' THEN
          SET answer = waiter_ttl DIV 3000;
          -- The first looks when a holder expires, the others only show that they are still there.
          IF row_head_owner IS NULL OR row_head_owner = claim_owner THEN
            SET answer = LEAST(answer, COALESCE(IF(row_owner IS NULL, first_expiry, row_held_until) - now_at, 0) DIV 1000 + 1);
          END IF;
          SET answer = GREATEST(LEAST(answer, COALESCE(doubt, answer)), 1);
        END IF;
        UPDATE `locks` SET `version` = row_version, `owner` = row_owner, `held_until` = row_held_until, `shares` = row_shares,
            `head_process` = row_head_process, `head_owner` = row_head_owner,
            `head_permits` = row_head_permits, `head_until` = row_head_until, `queue_until` = row_queue_until,
            `next_lapse` = row_next_lapse, `queue_seen` = row_queue_seen, `next_place` = row_next_place, `assigned_to` = row_assigned_to,
            `assigned_process` = row_assigned_process
          WHERE `key` = claim_key;
      END IF;
    END IF;
    COMMIT;
    SET SESSION innodb_lock_wait_timeout = usual_wait;
  END;
  IF SUBSTRING_INDEX(turn_process, '+', 1) <> this_process AND LOCATE('+', turn_process) > 0 THEN
    SET woken = turn_process;
  END IF;
  SELECT outcome, CAST(answer AS CHAR) AS answer, turn_process, turn_owner, CAST(turn_token AS CHAR) AS turn_token,
    CAST(turn_span AS CHAR) AS turn_span, IF(is_kept, row_head_owner, NULL) AS kept_owner, missing;
END//

-- The same, and wakes the process whose turn it is. It has the rights of its caller: those of
-- another user could not end a wait of his.
CREATE PROCEDURE `locks_act_and_wake`(
  act VARBINARY(10),
  claim_key VARBINARY(512),
  claim_owner VARBINARY(255),
  claim_ttl BIGINT,
  claim_token BIGINT,
  claim_permits BIGINT,
  queue_process VARBINARY(255),
  waiter_ttl BIGINT,
  other_owners LONGBLOB,
  joining LONGBLOB,
  repeated BOOLEAN,
  called_at DATETIME(6),
  time_limit BIGINT
)
MODIFIES SQL DATA
SQL SECURITY INVOKER
BEGIN
  DECLARE woken VARBINARY(255);
  CALL `locks_act`(act, claim_key, claim_owner, claim_ttl, claim_token, claim_permits, queue_process, waiter_ttl, other_owners, joining,
    repeated, called_at, time_limit, woken);
  IF woken IS NOT NULL THEN
    BEGIN
      -- Who cannot be woken looks, later.
      DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;
      KILL QUERY IS_USED_LOCK(CONCAT('locks_', woken, ':wakes'));
    END;
  END IF;
END//

-- Who holds a key, and who waits: mode, owner, permits, token, microseconds left. See
-- src/dialect/stores/key-state.ts. One statement, so that it shows one moment.
CREATE PROCEDURE `locks_inspect`(claim_key VARBINARY(512))
READS SQL DATA
SQL SECURITY DEFINER
BEGIN
  DECLARE now_at BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6));
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION READ ONLY;
  SELECT 'exclusive' AS mode, `owner`, NULL AS permits, CAST(`version` AS CHAR) AS token, CAST(`held_until` - now_at AS CHAR) AS remaining
    FROM `locks` WHERE `key` = claim_key AND `owner` IS NOT NULL AND `held_until` > now_at
  UNION ALL
  SELECT 'shared', `locks_shares`.`owner`, CAST(`permits` AS CHAR), CAST(`token` AS CHAR), CAST(`expires` - now_at AS CHAR)
    FROM `locks_shares` WHERE `key` = claim_key AND `expires` > now_at
  UNION ALL
  SELECT 'waiters', NULL, NULL, CAST(COUNT(*) AS CHAR), NULL FROM `locks_queue` WHERE `key` = claim_key AND `deadline` > now_at
  UNION ALL
  (SELECT IF(`permits` IS NULL, 'exclusive waiter', 'shared waiter'), `owner`, CAST(`permits` AS CHAR), CAST(`place` AS CHAR), NULL
    FROM `locks_queue` WHERE `key` = claim_key AND `deadline` > now_at ORDER BY `place` LIMIT 100);
  COMMIT;
END//

-- Removes, of the keys behind after_key up to last_key, the rows of at most most_keys that nobody
-- holds or waits for, and whose last token is older than retention. A new row's token is neither
-- behind the clock nor below locks_layout.swept, so it exceeds those that are forgotten. Answers
-- with one row: how many keys.
CREATE PROCEDURE `locks_sweep`(retention BIGINT, most_keys BIGINT, after_key VARBINARY(512), last_key VARBINARY(512))
MODIFIES SQL DATA
SQL SECURITY DEFINER
BEGIN
  DECLARE now_at BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6));
  DECLARE idle_key VARBINARY(512);
  DECLARE idle_version, latest BIGINT DEFAULT 0;
  DECLARE finished BOOLEAN DEFAULT FALSE;
  DECLARE swept BIGINT DEFAULT 0;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  START TRANSACTION READ WRITE;
  BEGIN
    DECLARE idle CURSOR FOR
      SELECT `key`, `version` FROM `locks`
        -- No key has a byte 255: UTF-8 knows none.
        WHERE `key` > after_key AND `key` <= COALESCE(last_key, X'FF')
          AND `version` < now_at - retention AND COALESCE(`held_until`, 0) <= now_at AND COALESCE(`queue_until`, 0) <= now_at
        LIMIT most_keys FOR UPDATE SKIP LOCKED;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET finished = TRUE;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
      ROLLBACK;
      RESIGNAL;
    END;
    IF CAST(@@global.read_only AS CHAR) NOT IN ('0', 'OFF') THEN
      SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'The server is read only.';
    END IF;
    OPEN idle;
    each_key: LOOP
      FETCH idle INTO idle_key, idle_version;
      IF finished THEN LEAVE each_key; END IF;
      DELETE FROM `locks_shares` WHERE `key` = idle_key;
      DELETE FROM `locks_queue` WHERE `key` = idle_key;
      DELETE FROM `locks` WHERE `key` = idle_key;
      SET swept = swept + 1, latest = GREATEST(latest, idle_version);
    END LOOP;
    CLOSE idle;
    -- What a row that comes back must exceed, wherever the clock may have been put.
    UPDATE `locks_layout` SET `locks_layout`.`swept` = latest WHERE `locks_layout`.`swept` < latest;
    COMMIT;
  END;
  SELECT CAST(swept AS CHAR) AS swept;
END//
DELIMITER ;

-- No row that is there had a higher token. That of a register, whose key begins with 254, says
-- nothing of tokens.
INSERT INTO `locks_layout` (`version`, `readable_from`, `swept`)
SELECT 1, 1, COALESCE(MAX(`locks`.`version`), 0) FROM `locks` WHERE `locks`.`key` < X'FE'
ON DUPLICATE KEY UPDATE `locks_layout`.`version` = 1, `locks_layout`.`readable_from` = 1;
