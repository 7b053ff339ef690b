import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureProgram } from '../src/local/install.ts';

const missing = { binary: 'no-such-server', debianPackage: 'no-such-package', macos: 'brew install no-such-formula' };

test('a program that is there is found', async () => {
  expect(await ensureProgram({ ...missing, binary: 'sh' }, 'redis', false)).toMatch(/\/sh$/);
});

test('of several versions that are not in PATH the newest is taken', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'locks-test-install-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const version of ['9.6', '15', '16', '16-old', '8.4']) {
    await mkdir(join(folder, version, 'bin'), { recursive: true });
    await writeFile(join(folder, version, 'bin', missing.binary), '#!/bin/sh\n', { mode: 0o755 });
  }
  const program = { ...missing, versions: { folder, rest: 'bin' } };
  expect(await ensureProgram(program, 'redis', false)).toBe(join(folder, '16', 'bin', missing.binary));
});

test('a program is only there with one of the files that it needs', async () => {
  const program = { ...missing, binary: 'sh', needs: ['/no-such-file', '/etc'] };
  expect(await ensureProgram(program, 'redis', false)).toMatch(/\/sh$/);
  await expect(ensureProgram({ ...program, needs: ['/no-such-file', '/nor-this'] }, 'redis', false)).rejects.toThrow(
    /^sh was found, but none of \/no-such-file, \/nor-this\. Install it .*no-such-package/,
  );
});

test('a missing program is an error with all the ways out', async () => {
  await expect(ensureProgram(missing, 'redis', false)).rejects.toThrow(
    'no-such-server was not found in PATH. Install it (Debian, Ubuntu: "sudo apt-get install no-such-package"; ' +
      'macOS: "brew install no-such-formula"), or set LOCKS_TEST_SERVERS=docker to use containers, ' +
      'or LOCKS_TEST_REDIS_URL to use a server that runs already',
  );
});
