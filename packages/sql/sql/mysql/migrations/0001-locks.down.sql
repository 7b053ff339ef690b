-- Removes all of layout 1: no process may use it any more. The tokens of all keys are forgotten.
DROP PROCEDURE IF EXISTS `locks_act_and_wake`;
DROP PROCEDURE IF EXISTS `locks_act`;
DROP PROCEDURE IF EXISTS `locks_ended`;
DROP PROCEDURE IF EXISTS `locks_give`;
DROP PROCEDURE IF EXISTS `locks_head`;
DROP PROCEDURE IF EXISTS `locks_inspect`;
DROP PROCEDURE IF EXISTS `locks_sweep`;
DROP TABLE IF EXISTS `locks_fences`;
DROP TABLE IF EXISTS `locks_layout`;
DROP TABLE IF EXISTS `locks_queue`;
DROP TABLE IF EXISTS `locks_shares`;
DROP TABLE IF EXISTS `locks`;
