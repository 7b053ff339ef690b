import { test } from 'vitest';
import { killHolder, loseToFrozenServer } from '../support/loss.ts';

const rounds = Array.from({ length: 20 }, (_, index) => index + 1);

test.each(rounds)('a frozen server: TERM, grace, KILL and 76 before the store lets go, round %i', loseToFrozenServer);

test.each(rounds)('the command does not outlive a run that is killed, round %i', killHolder);
