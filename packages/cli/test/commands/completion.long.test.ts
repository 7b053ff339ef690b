import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createUser, locksOf } from '../support/locks-program.ts';

test('a shell completes commands, options, and keys that can be typed', async () => {
  const user = createUser();
  const locks = await locksOf(user);
  for (const key of ['jobs/a', 'jobs/b', 'other', '$(id)']) await locks.acquire(key);
  const words = async (...line: readonly string[]): Promise<readonly string[]> => {
    const { output } = await user.locks('complete', '--', ...line);
    return output
      .split('\n')
      .flatMap((each) => each.split('\t')[0] ?? [])
      .filter((word) => word !== '' && !word.startsWith(':'));
  };
  expect(await words('')).toEqual(expect.arrayContaining(['run', 'ls', 'inspect', 'watch', 'break']));
  expect(await words('run', '--w')).toEqual(['--wait']);
  expect(await words('inspect', 'jobs/')).toEqual(['jobs/a', 'jobs/b']);
  expect(await words('break', '')).toEqual(['jobs/a', 'jobs/b', 'other']);
  await locks.once('jobs/c', 'ever', () => {});
  expect(await words('inspect', 'jobs/')).toEqual(['jobs/a', 'jobs/b', 'jobs/c']);
  expect(await words('jobs', '')).toEqual(expect.arrayContaining(['retry', 'forget']));
  expect(await words('jobs', 'retry', '')).toEqual(['jobs/c']);
});

test('the scripts of the shells are there, and bash can read its own', async () => {
  const user = createUser();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, output } = await user.locks('completion', shell);
    expect({ shell, code }).toEqual({ shell, code: 0 });
    expect(output).toContain('locks complete --');
    if (shell === 'bash') expect(spawnSync('bash', ['-n'], { input: output }).status).toBe(0);
  }
  expect(await user.locks('completion', 'tcsh')).toMatchObject({ code: 64 });
});
