import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUser, environmentIn, main } from '../support/locks-program.ts';

/** Runs `script` in a bash, where `$locks` is the program. */
function bash(home: string, script: string, env: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: home,
    env: { ...environmentIn(home), locks: `${process.execPath} ${main}`, ...env },
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`;
}

test('the command has the whole environment, also variables that no shell has', () => {
  const { home } = createUser();
  const odd = { 'a.b': '1', 'a-b': '2', 'a b': 'd\ne' };
  const show = `process.stdout.write(JSON.stringify(process.env))`;
  const shown = bash(home, '$locks run key -- $node --eval="$show"', { ...odd, show, node: process.execPath });
  expect(JSON.parse(shown)).toMatchObject(odd);
  expect(bash(home, `said() { echo "says $1"; }; export -f said; $locks run key -- bash -c 'said hello'`)).toBe(
    'says hello\n',
  );
});

test('the command has the descriptors of run, and no others', () => {
  const { home } = createUser();
  writeFileSync(join(home, 'in'), 'from 5\n');
  // Both ends of the pipe 3 and 4 are inherited, as make hands its jobserver on.
  const open = 'exec 3<> <(:) 4>/proc/self/fd/3 5<in 7< <(echo from 7) 9>nine 40>forty;';
  const use = 'echo from 4 >&4; head -n 1 <&3; cat <&5; cat <&7; echo nine >&9; echo forty >&40; ls /proc/$BASHPID/fd';
  const used = (command: string): string => bash(home, `${open} ${command} bash -c '${use}'; cat nine forty`);
  const plain = used('');
  expect(plain).toMatch(/^from 4\nfrom 5\nfrom 7\n[^a-z]*\nnine\nforty\n$/);
  expect(used('$locks run key --')).toBe(plain);
});
