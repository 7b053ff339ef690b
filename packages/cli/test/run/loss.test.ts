import { expect, test } from 'vitest';
import { createUser, ownFolder } from '../support/locks-program.ts';
import { killHolder, loseToFrozenServer } from '../support/loss.ts';
import { isGone, stubbornCommand } from '../support/stubborn-command.ts';

test('a frozen server: TERM, grace, KILL and 76 before the lease expires', loseToFrozenServer);

test('the command does not outlive a run that is killed', killHolder);

test('a lease that an operator ends is told, and ends the command', async () => {
  const user = createUser();
  const { words, pids } = stubbornCommand(ownFolder());
  const holder = user.start(['run', 'key', '--ttl', '1s', '--grace', '0', '--', ...words]);
  const processes = await pids();
  expect((await user.locks('break', 'key', '--yes')).code).toBe(0);
  const { code, errors } = await holder.ended;
  expect(code).toBe(76);
  expect(errors).toContain('is lost');
  expect(processes.map(isGone)).toEqual([true, true]);
});
