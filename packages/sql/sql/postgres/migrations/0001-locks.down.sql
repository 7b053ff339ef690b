-- Removes all of layout 1: no process may use it any more. The tokens of all keys are forgotten.
DROP PROCEDURE IF EXISTS "locks_release_and_tell";
DROP FUNCTION IF EXISTS "locks_acquire";
DROP FUNCTION IF EXISTS "locks_renew";
DROP FUNCTION IF EXISTS "locks_release";
DROP FUNCTION IF EXISTS "locks_sweep";
DROP FUNCTION IF EXISTS "locks_settle";
DROP TYPE IF EXISTS "locks_turn";
DROP FUNCTION IF EXISTS "locks_lock";
DROP FUNCTION IF EXISTS "locks_ended";
DROP FUNCTION IF EXISTS "locks_check_new";
DROP TABLE IF EXISTS "locks_fences";
DROP TABLE IF EXISTS "locks_layout";
DROP TABLE IF EXISTS "locks_queue";
DROP TABLE IF EXISTS "locks_shares";
DROP TABLE IF EXISTS "locks";
