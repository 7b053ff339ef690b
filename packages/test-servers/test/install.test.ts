import { expect, test } from 'vitest';
import { ensureProgram } from '../src/install.ts';

const missing = { binary: 'no-such-server', debianPackage: 'no-such-package', macos: 'brew install no-such-formula' };

test('a program that is there is found', async () => {
  expect(await ensureProgram({ ...missing, binary: 'sh' }, 'redis', false)).toMatch(/\/sh$/);
});

test('a missing program is an error with all the ways out', async () => {
  await expect(ensureProgram(missing, 'redis', false)).rejects.toThrow(
    'no-such-server was not found in PATH. Install it (Debian, Ubuntu: "sudo apt-get install no-such-package"; ' +
      'macOS: "brew install no-such-formula"), or set LOCKS_TEST_SERVERS=docker to use containers, ' +
      'or LOCKS_TEST_REDIS_URL to use a server that runs already',
  );
});
