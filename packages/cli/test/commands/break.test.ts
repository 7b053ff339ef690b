import { test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

test('break asks on a terminal, and only yes ends the lease', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  const lease = await locks.acquire('key');
  const terminal = await openTerminal(user.home);
  for (const [answer, code] of [
    ['n\n', 1],
    ['\n', 1],
    [ctrlC, 130],
    ['\u0004', 1],
  ] as const) {
    await terminal.enter('$locks break key', lease.owner);
    await terminal.sees('End it? [y/N]');
    terminal.type(answer);
    await terminal.seesCode(code);
  }
  await terminal.enter('$locks break key', 'End it? [y/N]');
  await terminal.enter('yes', `Ended the lease of ${lease.owner}`);
  await terminal.seesCode(0);
});
