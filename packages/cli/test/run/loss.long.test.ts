import { test } from 'vitest';
import { killHolder, killHolderAtStart, killHolderOfSlowGuard, loseToFrozenServer } from '../support/loss.ts';

/** `LOCKS_TEST_ROUNDS=20` is what a change of signals, times or processes is tried with. */
const count = Number(process.env['LOCKS_TEST_ROUNDS'] ?? 3);
const rounds = Array.from({ length: count }, (_, index) => index + 1);

test.each(rounds)('a frozen server: TERM, grace, KILL and 76 before the lease expires, round %i', loseToFrozenServer);

test.each(rounds)('the command does not outlive a run that is killed, round %i', killHolder);

test.each(rounds)('nor by more than its grace, though each look at it takes long, round %i', killHolderOfSlowGuard);

test.each(rounds)('nor a run that is killed while it starts the command, round %i', killHolderAtStart);
