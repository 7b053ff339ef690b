import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { started } from '../src/register/started.ts';

const program = fileURLToPath(new URL('../dist/register/register-process.js', import.meta.url));

/** The register as a run starts it, with its socket at `path` in a folder of its own. */
function startRegister(path: string): ReturnType<typeof fork> {
  const folder = mkdtempSync(join(tmpdir(), 'register-'));
  const register = fork(program, [join(folder, path), join(folder, 'register.log')], { stdio: 'ignore' });
  onTestFinished(() => {
    register.kill();
    rmSync(folder, { recursive: true });
  });
  return register;
}

test('a register that cannot listen ends the wait for it', async () => {
  await expect(started(startRegister('no/such/folder/socket'))).rejects.toThrow('The register died at its start (1)');
});

test('a register that listens is waited for, and may end later', async () => {
  const register = startRegister('socket');
  await started(register);
  const gone = new Promise((resolve) => register.once('exit', resolve));
  register.disconnect();
  expect(await gone).toBe(0);
});
