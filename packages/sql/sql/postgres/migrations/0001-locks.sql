-- The tables and routines of @locks/sql, layout 1, for Postgres 13 and newer:
--   psql --single-transaction --set ON_ERROR_STOP=1 --file 0001-locks.sql
-- They belong to whoever runs this, in the first schema of the search path. Other names, or a
-- schema: replace every name in double quotes. May be run again: it makes what is missing, and
-- leaves rows and rights as they are.
--
-- A service that runs as another role needs the grants of ../grants.sql.
-- Only the owner should be allowed to create anything in the schema.

-- One row per key: whatever decides who is admitted. No index but the primary key, so that updates
-- stay on their page.
CREATE TABLE IF NOT EXISTS "locks" (
  key bytea PRIMARY KEY,
  -- The highest fencing token minted or told.
  version bigint NOT NULL,
  -- The exclusive holder.
  owner text,
  -- The latest expiry of any holder: free if NULL or past.
  held_until timestamptz,
  -- How many share it, while there is no owner.
  shares integer NOT NULL DEFAULT 0,
  -- The first in the queue.
  head_process text,
  head_owner text,
  -- No deadline in the queue is after it: nobody is in the queue if NULL or past.
  queue_until timestamptz,
  -- No deadline in the queue is before it.
  next_lapse timestamptz,
  -- When somebody in the queue gave the last sign of life: it lies ahead only where the clock was
  -- stepped back.
  queue_seen timestamptz,
  next_place bigint NOT NULL DEFAULT 1,
  -- The owner that was given the key in the queue, and its process. They count while it is the
  -- exclusive holder, until a call of it was answered with that hold.
  assigned_to text,
  assigned_process text
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0
);

-- Fails where the name is that of another table.
SELECT key, version, owner, held_until, shares, head_process, head_owner, queue_until, next_lapse, queue_seen, next_place, assigned_to,
  assigned_process FROM "locks" LIMIT 0;

CREATE TABLE IF NOT EXISTS "locks_shares" (
  key bytea NOT NULL,
  owner text NOT NULL,
  token bigint NOT NULL,
  expires timestamptz NOT NULL,
  -- 0: any number.
  permits integer NOT NULL,
  PRIMARY KEY (key, owner)
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0
);

CREATE TABLE IF NOT EXISTS "locks_queue" (
  key bytea NOT NULL,
  place bigint NOT NULL,
  owner text NOT NULL,
  -- Whom to tell.
  process text NOT NULL,
  -- NULL: exclusive; 0: any number of permits.
  permits integer,
  -- The last sign of life of its owner, and when the place is forfeit: the difference is how long
  -- it lasts.
  seen timestamptz NOT NULL,
  deadline timestamptz NOT NULL,
  -- Of its claim: its ttl (0: not known), and what its token must exceed.
  ttl_ms integer NOT NULL DEFAULT 0,
  above bigint,
  -- When its process sent what gave the last sign of life, as that process says: it is repeated to
  -- it. NULL: the place ends earlier than it would from there.
  sent text,
  PRIMARY KEY (key, place),
  UNIQUE (key, owner)
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0
);

-- One row, about all of them.
CREATE TABLE IF NOT EXISTS "locks_layout" (
  version integer NOT NULL,
  -- Packages made for this layout, and for later ones, can use the tables.
  readable_from integer NOT NULL,
  -- No token of a row that was removed exceeds it.
  swept bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (version)
);
-- No row that is there had a higher token. That of a register, whose key begins with 254, says
-- nothing of tokens.
INSERT INTO "locks_layout" (version, readable_from, swept)
SELECT 1, 1, coalesce(max(l.version), 0) FROM "locks" AS l WHERE l.key < '\xfe' HAVING NOT EXISTS (SELECT FROM "locks_layout");

-- What guards of business tables know: never touched by the locks themselves.
CREATE TABLE IF NOT EXISTS "locks_fences" (
  resource bytea PRIMARY KEY,
  token bigint NOT NULL
) WITH (fillfactor = 50);

-- Fails where a name is that of another table.
SELECT key, owner, token, expires, permits FROM "locks_shares" LIMIT 0;
SELECT key, place, owner, process, permits, seen, deadline, ttl_ms, above, sent FROM "locks_queue" LIMIT 0;
SELECT version, readable_from, swept FROM "locks_layout" LIMIT 0;
SELECT resource, token FROM "locks_fences" LIMIT 0;

-- Fails where the token of a new row is not above those of rows that were removed, as after a step
-- back of the clock. The statement for a free key calls it for new rows only: the table of the
-- layout is not looked at for others.
CREATE OR REPLACE FUNCTION "locks_check_new"(minted bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF minted <= (SELECT y.swept FROM "locks_layout" AS y) THEN
    RAISE EXCEPTION 'the token % may have been given before', minted USING ERRCODE = 'LK001';
  END IF;
  RETURN true;
END $$;

-- Whether a process in the queue has certainly ended. A name with a plus sign is that of a session,
-- which keeps an advisory lock for as long as it lasts. The process that asks lasts, also where a
-- session of it has ended.
CREATE OR REPLACE FUNCTION "locks_ended"(process text, in_process text) RETURNS boolean
LANGUAGE sql AS $$
  SELECT CASE WHEN strpos(process, '+') > 0 AND split_part(process, '+', 1) <> split_part(in_process, '+', 1)
    THEN pg_try_advisory_xact_lock_shared(hashtextextended('locks_' || process, 0)) ELSE false END
$$;

-- The row of a key, locked, without what has lapsed by then, which must be written back; NULL when
-- there is none and none is to be made.
CREATE OR REPLACE FUNCTION "locks_lock"(of_key bytea, make boolean, wait_ms integer) RETURNS "locks"
LANGUAGE plpgsql AS $$
DECLARE
  r "locks";
  at timestamptz;
BEGIN
  -- What waits longer must not take effect any more.
  PERFORM set_config('lock_timeout', wait_ms::text, true);
  LOOP
    SELECT * INTO r FROM "locks" AS l WHERE l.key = of_key FOR NO KEY UPDATE;
    EXIT WHEN FOUND;
    IF NOT make THEN RETURN NULL; END IF;
    INSERT INTO "locks" (key, version) SELECT of_key, coalesce(max(swept), 0) FROM "locks_layout" ON CONFLICT (key) DO NOTHING;
  END LOOP;
  -- Whatever is read from here on is seen by a snapshot younger than the lock.
  at := clock_timestamp();
  IF r.next_lapse <= at OR r.queue_seen > at THEN
    -- After the clock was stepped back, a place lasts no longer from now on than it did from its
    -- last sign of life.
    UPDATE "locks_queue" AS w SET deadline = at + (w.deadline - w.seen), seen = at WHERE w.key = of_key AND w.seen > at;
    DELETE FROM "locks_queue" AS w WHERE w.key = of_key AND w.deadline <= at;
    r.queue_seen := least(r.queue_seen, at);
    SELECT min(w.deadline), max(w.deadline) INTO r.next_lapse, r.queue_until FROM "locks_queue" AS w WHERE w.key = of_key;
    SELECT w.process, w.owner INTO r.head_process, r.head_owner FROM "locks_queue" AS w WHERE w.key = of_key ORDER BY w.place LIMIT 1;
  END IF;
  IF r.held_until <= at THEN
    IF r.owner IS NULL THEN DELETE FROM "locks_shares" AS s WHERE s.key = of_key; END IF;
    r.owner := NULL;
    r.held_until := NULL;
    r.shares := 0;
  ELSIF r.shares > 0 THEN
    DELETE FROM "locks_shares" AS s WHERE s.key = of_key AND s.expires <= at;
    IF FOUND THEN
      SELECT count(*), max(s.expires) INTO r.shares, r.held_until FROM "locks_shares" AS s WHERE s.key = of_key;
    END IF;
  END IF;
  RETURN r;
END $$;

-- What a call tells of the first in the queue.
DO $$
BEGIN
  CREATE TYPE "locks_turn" AS (
  -- The first that can go, and the session of its process.
  process text,
  owner text,
  -- What it was given, and for how long: its caller tells it so. NULL: it has to try.
  token bigint,
  span_ms integer,
  -- What its process is to be told when it was given the key: with when it gave its last sign of
  -- life, as that process says.
  message text,
  -- The first in the queue, where the call has kept its place and it cannot go yet.
  kept text
);
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

-- The end of every routine: writes the row, and gives the key to the first in the queue if it can
-- go now, for no longer than its place would have lasted, as its process may be gone. Where its
-- hold could end before its claim finds it, it has to try: a process other than the caller's gets a
-- message. It may be kept of `also`. With `doubts`, one of another process that can go forfeits its
-- place if it does not come within a sixth of the time that it lasts; `forfeit_ms` is what is left
-- of that.
CREATE OR REPLACE FUNCTION "locks_settle"(
  r "locks", by_owner text, in_process text, also text[], doubts boolean, place_ms integer,
  OUT turn "locks_turn", OUT forfeit_ms integer, OUT held_until timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  head "locks_queue";
  at timestamptz;
  forfeit timestamptz;
  -- The session of the head's process.
  lasting text;
  -- No place is left, also none of a process that has ended.
  empty boolean;
BEGIN
  -- While the key is held exclusively, a head that is known stays the head until it leaves.
  IF r.queue_until IS NOT NULL
    AND (r.owner IS NULL OR r.head_owner IS NULL OR r.head_owner = by_owner OR cardinality(also) > 0) THEN
    SELECT * INTO head FROM "locks_queue" AS w WHERE w.key = r.key ORDER BY w.place LIMIT 1;
    empty := NOT FOUND;
    -- Places of processes that have ended are passed over. They lapse in their time.
    IF head.process <> in_process AND "locks_ended"(head.process, in_process) THEN
      SELECT * INTO head FROM "locks_queue" AS w
      WHERE w.key = r.key AND NOT "locks_ended"(w.process, in_process) ORDER BY w.place LIMIT 1;
      -- A process of which one place counts has not ended. Its claims keep their order, though a
      -- place before that has the name of another session of it.
      lasting := head.process;
      SELECT * INTO head FROM "locks_queue" AS w
      WHERE w.key = r.key AND w.place <= head.place AND split_part(w.process, '+', 1) = split_part(lasting, '+', 1)
      ORDER BY w.place LIMIT 1;
      head.process := lasting;
    END IF;
    IF r.held_until IS NULL AND head.owner <> by_owner AND head.permits IS NULL AND head.ttl_ms * 2 >= place_ms THEN
      DELETE FROM "locks_queue" AS w WHERE w.key = r.key AND w.place = head.place
      RETURNING
        greatest(r.version + 1, w.above + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
        w.owner, w.owner, head.process, least(clock_timestamp() + interval '1 millisecond' * w.ttl_ms::double precision, w.deadline),
        head.process, w.owner,
        -- From what its process sent, the place lasts for all of its time, and so does what it is
        -- given.
        least(w.ttl_ms, floor(extract(epoch FROM w.deadline - w.seen) * 1000)::integer) || ' ' || w.sent || ' ' || w.owner,
        least(w.ttl_ms, floor(extract(epoch FROM w.deadline - clock_timestamp()) * 1000)::integer)
      INTO r.version, r.owner, r.assigned_to, r.assigned_process, r.held_until, turn.process, turn.owner, turn.message, turn.span_ms;
      turn.token := r.version;
      -- No owner begins with a line feed.
      turn.message := coalesce(E'\n' || turn.token || ' ' || turn.message, turn.owner);
      -- Whether its process has ended is asked when its turn comes.
      SELECT * INTO head FROM "locks_queue" AS w WHERE w.key = r.key ORDER BY w.place LIMIT 1;
      empty := NOT FOUND;
    ELSIF head.owner <> by_owner AND (
      r.held_until IS NULL OR head.permits IS NOT NULL AND r.owner IS NULL AND (head.permits = 0 OR r.shares < head.permits)
    ) THEN
      turn.process := head.process;
      turn.owner := head.owner;
      IF head.process <> in_process THEN
        IF doubts THEN
          at := clock_timestamp();
          forfeit := at + (head.deadline - head.seen) / 6;
          IF forfeit < head.deadline THEN
            UPDATE "locks_queue" AS w SET seen = w.seen - (w.deadline - forfeit), deadline = forfeit, sent = NULL
            WHERE w.key = r.key AND w.place = head.place;
            head.deadline := forfeit;
            r.next_lapse := least(r.next_lapse, forfeit);
          END IF;
          forfeit_ms := ceil(extract(epoch FROM head.deadline - at) * 1000)::integer;
        END IF;
        -- It takes a lock of the whole database, so only where somebody has to be told.
        PERFORM pg_notify('locks_' || head.process, head.owner);
      END IF;
    END IF;
    r.head_process := head.process;
    r.head_owner := head.owner;
    IF empty THEN
      r.queue_until := NULL;
      r.next_lapse := NULL;
    END IF;
    IF head.owner = ANY (also) AND head.owner <> by_owner AND head.owner IS DISTINCT FROM turn.owner THEN
      turn.kept := head.owner;
    END IF;
  END IF;
  UPDATE "locks" AS l
  SET version = r.version, owner = r.owner, held_until = r.held_until, shares = r.shares,
    head_process = r.head_process, head_owner = r.head_owner, queue_until = r.queue_until, next_lapse = r.next_lapse,
    queue_seen = r.queue_seen, next_place = r.next_place, assigned_to = r.assigned_to, assigned_process = r.assigned_process
  WHERE l.key = r.key AND l IS DISTINCT FROM r;
  held_until := r.held_until;
END $$;

-- Any attempt to take a key: protocol 3, the directed hand-off queue. `want_permits` is NULL for an
-- exclusive claim, 0 for any number. `gone` are those of `others` that are not in the queue: each
-- may have been given the key.
CREATE OR REPLACE FUNCTION "locks_acquire"(
  of_key bytea, by_owner text, ttl_ms integer, above bigint, want_permits integer,
  to_wait boolean, in_process text, place_ms integer, others text[], wait_ms integer, repeated boolean, sent_at text,
  OUT token bigint, OUT retry_ms integer, OUT refusal text, OUT turn "locks_turn", OUT gone text[]
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  r "locks" := "locks_lock"(of_key, true, wait_ms);
  at timestamptz := clock_timestamp();
  until timestamptz := at + interval '1 millisecond' * ttl_ms::double precision;
  lapse timestamptz := at + interval '1 millisecond' * place_ms::double precision;
  first boolean;
  session text;
  of_share bigint;
  waits boolean;
  kept integer;
  settled record;
BEGIN
  IF cardinality(others) > 0 THEN
    UPDATE "locks_queue" AS w SET seen = at, deadline = lapse, process = in_process, sent = sent_at
    WHERE w.key = of_key AND w.owner = ANY (others);
    IF FOUND THEN
      r.queue_until := greatest(r.queue_until, lapse);
      r.queue_seen := at;
    END IF;
    GET DIAGNOSTICS kept = ROW_COUNT;
    IF kept < cardinality(others) THEN
      gone := ARRAY(
        SELECT o.owner FROM unnest(others) AS o (owner)
        WHERE NOT EXISTS (SELECT FROM "locks_queue" AS w WHERE w.key = of_key AND w.owner = o.owner)
      );
    END IF;
  END IF;
  IF repeated AND r.queue_until IS NOT NULL THEN
    -- A session of this process has ended: to others, all that wait in it have.
    SELECT w.process INTO session FROM "locks_queue" AS w WHERE w.key = of_key AND w.owner = by_owner;
    IF session <> in_process THEN
      UPDATE "locks_queue" AS w SET process = in_process WHERE w.key = of_key AND w.process = session;
      r.head_owner := NULL;
      r.head_process := NULL;
    END IF;
  END IF;
  IF r.queue_until IS NOT NULL AND r.head_owner IS DISTINCT FROM by_owner AND r.head_process IS DISTINCT FROM in_process THEN
    -- With nobody at its head, a queue has only such as were passed over.
    IF r.head_owner IS NULL OR "locks_ended"(r.head_process, in_process) THEN
      SELECT w.process, w.owner INTO r.head_process, r.head_owner FROM "locks_queue" AS w
      WHERE w.key = of_key AND (w.owner = by_owner OR NOT "locks_ended"(w.process, in_process))
      ORDER BY w.place LIMIT 1;
    END IF;
  END IF;
  first := r.head_owner IS NULL OR r.head_owner = by_owner;
  IF r.shares > 0 THEN
    of_share := (SELECT s.token FROM "locks_shares" AS s WHERE s.key = of_key AND s.owner = by_owner);
  END IF;

  IF r.owner = by_owner THEN
    -- It was given before this floor was told, so no attempt has its token yet.
    IF repeated AND r.assigned_to = by_owner AND above >= r.version THEN
      r.version := greatest(above + 1, (extract(epoch FROM at) * 1000000)::bigint);
    END IF;
    token := r.version;
    r.assigned_to := NULL;
    r.held_until := until;
    IF want_permits IS NOT NULL THEN
      -- What the statement for a free key left there.
      DELETE FROM "locks_shares" AS s WHERE s.key = of_key;
      INSERT INTO "locks_shares" (key, owner, token, expires, permits) VALUES (of_key, by_owner, r.version, until, want_permits);
      r.owner := NULL;
      r.shares := 1;
    END IF;
  ELSIF of_share IS NOT NULL AND want_permits IS NULL THEN
    refusal := 'upgrade';
  ELSIF of_share IS NOT NULL THEN
    token := of_share;
    UPDATE "locks_shares" AS s SET expires = until WHERE s.key = of_key AND s.owner = by_owner;
    r.held_until := (SELECT max(s.expires) FROM "locks_shares" AS s WHERE s.key = of_key);
  ELSIF first AND (
    r.held_until IS NULL
    OR want_permits IS NOT NULL AND r.owner IS NULL AND (want_permits = 0 OR r.shares < want_permits)
  ) THEN
    token := greatest(r.version + 1, above + 1, (extract(epoch FROM at) * 1000000)::bigint);
    r.version := token;
    IF want_permits IS NULL THEN
      r.owner := by_owner;
      r.held_until := until;
    ELSE
      IF r.shares = 0 THEN DELETE FROM "locks_shares" AS s WHERE s.key = of_key; END IF;
      INSERT INTO "locks_shares" (key, owner, token, expires, permits) VALUES (of_key, by_owner, r.version, until, want_permits);
      r.shares := r.shares + 1;
      r.held_until := greatest(r.held_until, until);
    END IF;
  ELSIF to_wait THEN
    INSERT INTO "locks_queue" AS w (key, place, owner, process, permits, seen, deadline, ttl_ms, above, sent)
    VALUES (of_key, r.next_place, by_owner, in_process, want_permits, at, lapse, ttl_ms, above, sent_at)
    ON CONFLICT (key, owner) DO UPDATE
    SET seen = excluded.seen, deadline = excluded.deadline, process = excluded.process, ttl_ms = excluded.ttl_ms, above = excluded.above,
      sent = excluded.sent
    RETURNING w.place <> r.next_place, w.seen, greatest(r.queue_until, w.deadline), least(r.next_lapse, w.deadline),
      greatest(r.next_place, w.place + 1)
    INTO waits, r.queue_seen, r.queue_until, r.next_lapse, r.next_place;
  END IF;

  IF token IS NOT NULL AND r.queue_until IS NOT NULL THEN
    DELETE FROM "locks_queue" AS w WHERE w.key = of_key AND w.owner = by_owner;
  END IF;
  -- Who comes again and finds that the first in the queue could go and did not doubts that it
  -- lives. One who comes for the first time may have come between the message and its answer.
  settled := "locks_settle"(r, by_owner, in_process, others, waits, place_ms);
  turn := settled.turn;
  IF token IS NULL AND refusal IS NULL THEN
    until := NULL;
    -- The first looks when a holder would expire; the others only show that they are alive.
    IF first THEN
      until := settled.held_until;
      IF r.shares > 0 THEN until := (SELECT min(s.expires) FROM "locks_shares" AS s WHERE s.key = of_key); END IF;
    END IF;
    retry_ms := greatest(1, least(
      place_ms / 3,
      ceil(extract(epoch FROM until - at) * 1000)::integer + 1,
      -- Clients come up to a tenth earlier than they are told.
      settled.forfeit_ms * 10 / 9 + 2
    ));
  END IF;
END $$;

-- Restarts the ttl of whatever hold the owner has; with `raise_to`, also makes that its token
-- unless its own is higher.
CREATE OR REPLACE FUNCTION "locks_renew"(
  of_key bytea, by_owner text, ttl_ms integer, raise_to bigint, in_process text, place_ms integer, wait_ms integer,
  OUT renewed boolean, OUT turn "locks_turn"
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  r "locks" := "locks_lock"(of_key, false, wait_ms);
  until timestamptz := clock_timestamp() + interval '1 millisecond' * ttl_ms::double precision;
BEGIN
  renewed := false;
  IF r.key IS NULL THEN RETURN; END IF;
  IF r.owner = by_owner AND (raise_to IS NULL OR r.version <= raise_to) THEN
    renewed := true;
    r.assigned_to := NULL;
    r.held_until := until;
  ELSIF r.shares > 0 THEN
    UPDATE "locks_shares" AS s SET expires = until, token = coalesce(raise_to, s.token)
    WHERE s.key = of_key AND s.owner = by_owner AND (raise_to IS NULL OR s.token <= raise_to);
    renewed := FOUND;
    r.held_until := (SELECT max(s.expires) FROM "locks_shares" AS s WHERE s.key = of_key);
  END IF;
  IF renewed THEN r.version := greatest(r.version, raise_to); END IF;
  turn := ("locks_settle"(r, by_owner, in_process, NULL, false, place_ms)).turn;
END $$;

-- Gives up what the owner has: its hold, of whatever mode, or its position in the queue.
CREATE OR REPLACE FUNCTION "locks_release"(
  of_key bytea, by_owner text, in_process text, place_ms integer, wait_ms integer,
  OUT freed boolean, OUT turn "locks_turn"
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  r "locks" := "locks_lock"(of_key, false, wait_ms);
BEGIN
  freed := coalesce(r.owner = by_owner, false);
  IF r.key IS NULL THEN RETURN; END IF;
  IF freed THEN
    r.owner := NULL;
    r.held_until := NULL;
  ELSE
    IF r.shares > 0 THEN
      DELETE FROM "locks_shares" AS s WHERE s.key = of_key AND s.owner = by_owner;
      freed := FOUND;
      SELECT count(*), max(s.expires) INTO r.shares, r.held_until FROM "locks_shares" AS s WHERE s.key = of_key;
    END IF;
    IF r.queue_until IS NOT NULL THEN
      DELETE FROM "locks_queue" AS w WHERE w.key = of_key AND w.owner = by_owner;
    END IF;
  END IF;
  turn := ("locks_settle"(r, by_owner, in_process, NULL, false, place_ms)).turn;
END $$;

-- Removes, of the keys behind `after` up to `last`, at most `most` that nobody holds or waits for
-- and whose tokens the clock has passed by the retention: the next token of such a key, which is
-- neither below the clock nor below `swept`, exceeds them. Returns how many.
CREATE OR REPLACE FUNCTION "locks_sweep"(retention_ms bigint, most integer, after bytea DEFAULT '', last bytea DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  at timestamptz := clock_timestamp();
  idle bytea[] := ARRAY(
    SELECT l.key FROM "locks" AS l
    -- No key has a byte 255: UTF-8 knows none.
    WHERE l.key > after AND l.key <= COALESCE(last, '\xff'::bytea)
      AND (l.held_until IS NULL OR l.held_until <= at) AND (l.queue_until IS NULL OR l.queue_until <= at)
      AND l.version < (extract(epoch FROM at) * 1000000)::bigint - retention_ms * 1000
    LIMIT most
    FOR UPDATE SKIP LOCKED
  );
BEGIN
  DELETE FROM "locks_queue" AS w WHERE w.key = ANY (idle);
  DELETE FROM "locks_shares" AS s WHERE s.key = ANY (idle);
  -- What a row that comes back must exceed, wherever the clock may have been put.
  UPDATE "locks_layout" AS y SET swept = latest.version
  FROM (SELECT max(l.version) AS version FROM "locks" AS l WHERE l.key = ANY (idle)) AS latest
  WHERE latest.version > y.swept;
  DELETE FROM "locks" AS l WHERE l.key = ANY (idle);
  RETURN cardinality(idle);
END $$;

-- Fixed names: what the caller has put before them, temporary tables too, is not looked at. And
-- nobody may call what he was not given.
DO $do$
DECLARE
  home text := (SELECT c.relnamespace::regnamespace::text FROM pg_class AS c WHERE c.oid = '"locks"'::regclass);
  routine regproc;
BEGIN
  FOREACH routine IN ARRAY ARRAY['"locks_acquire"', '"locks_renew"', '"locks_release"', '"locks_sweep"']::regproc[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %s, pg_temp', routine, home);
    -- Plans are made while the tables are small, and kept while what was removed makes them large:
    -- they would read whole tables.
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', routine);
    EXECUTE format('ALTER FUNCTION %s SET enable_bitmapscan = off', routine);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', routine);
  END LOOP;
  -- It has the rights of its caller, and no settings of its own, as only such a procedure can
  -- commit.
  EXECUTE format($f$
    CREATE OR REPLACE PROCEDURE "locks_release_and_tell"(
      of_key bytea, by_owner text, in_process text, place_ms integer, wait_ms integer,
      INOUT freed boolean, INOUT turn_process text, INOUT turn_owner text, INOUT turn_token bigint, INOUT span_ms integer
    )
    LANGUAGE plpgsql AS $$
    DECLARE
      message text;
    BEGIN
      SELECT r.freed, (r.turn).process, (r.turn).owner, (r.turn).token, (r.turn).span_ms, (r.turn).message
      INTO freed, turn_process, turn_owner, turn_token, span_ms, message
      FROM %s(of_key, by_owner, in_process, place_ms, wait_ms) AS r;
      IF turn_token IS NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
      ELSIF turn_process <> in_process THEN
        -- A transaction that waits for the disk and sends a message makes all others that do so
        -- wait for it.
        COMMIT;
        PERFORM pg_notify('locks_' || turn_process, message);
      END IF;
    END $$
  $f$, home || '.' || (SELECT quote_ident(p.proname) FROM pg_proc AS p WHERE p.oid = '"locks_release"'::regproc));
  REVOKE ALL ON PROCEDURE "locks_release_and_tell" FROM PUBLIC;
  -- It does nothing but look, with the rights of its caller.
  EXECUTE format('ALTER FUNCTION "locks_check_new" SET search_path = pg_catalog, %s, pg_temp', home);
END $do$;
REVOKE ALL ON FUNCTION "locks_lock", "locks_settle" FROM PUBLIC;
