import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '@locks/conformance/processes';
import { expect, onTestFinished, test } from 'vitest';
import type { Listen } from '../src/register/listen.ts';

const program = fileURLToPath(new URL('../dist/register/register-process.js', import.meta.url));

/** The register as a run starts it, with its socket at `path` in a folder of its own. */
async function startRegister(path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'register-'));
  const register = startChild<Listen>(program);
  onTestFinished(async () => {
    await register.kill();
    rmSync(folder, { recursive: true });
  });
  await register.ask({ socket: join(folder, path), log: join(folder, 'register.log') });
}

test('a register that cannot listen ends the wait for it', async () => {
  await expect(startRegister('no/such/folder/socket')).rejects.toThrow('listen');
});

test('a register that listens is waited for', async () => {
  await startRegister('socket');
});
