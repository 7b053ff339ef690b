import { test } from 'vitest';
import { createUser } from '../support/locks-program.ts';
import { locksOf } from '../support/locks-of.ts';
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
    terminal.type('$locks break key\n');
    await terminal.sees(lease.owner);
    await terminal.sees('End it? [y/N]');
    terminal.type(answer);
    await terminal.seesCode(code);
  }
  terminal.type('$locks break key\n');
  await terminal.sees('End it? [y/N]');
  terminal.type('yes\n');
  await terminal.sees(`Ended the lease of ${lease.owner}`);
  await terminal.seesCode(0);
});
