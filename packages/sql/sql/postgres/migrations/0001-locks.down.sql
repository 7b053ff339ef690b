-- Removes all of layout 1: no process may use it any more. The tokens of all keys are forgotten.
DROP PROCEDURE "locks_release_and_tell";
DROP FUNCTION "locks_acquire";
DROP FUNCTION "locks_acquire_all";
DROP FUNCTION "locks_renew";
DROP FUNCTION "locks_release";
DROP FUNCTION "locks_sweep";
DROP FUNCTION "locks_settle";
DROP TYPE "locks_turn";
DROP FUNCTION "locks_lock";
DROP FUNCTION "locks_ended";
DROP FUNCTION "locks_check_new";
DROP TABLE "locks_fences", "locks_layout", "locks_line", "locks_shares", "locks";
