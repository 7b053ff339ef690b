import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureProgram } from '@locks/test-servers';
import { expect, it } from 'vitest';

/** Runs Prometheus' own checks. */
async function promtool(...args: readonly string[]): Promise<string> {
  const program = { binary: 'promtool', debianPackage: 'prometheus', macos: 'brew install prometheus' };
  const path = await ensureProgram(program, 'prometheus');
  const { stdout } = await promisify(execFile)(path, args);
  return stdout;
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

// The first one may install it.
const timeout = 300_000;

it('Prometheus reads the alerts', { timeout }, async () => {
  expect(await promtool('check', 'rules', file('../dashboards/locks.alerts.yml'))).toContain('13 rules found');
});

it('the alerts about jobs fire when they should, and not before', { timeout }, async () => {
  expect(await promtool('test', 'rules', file('alerts.promtool.yml'))).toContain('SUCCESS');
});
