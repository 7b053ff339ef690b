import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUser } from '../support/locks-program.ts';

const slot = '2026-05-04T03:00Z';
const unix = Date.parse(slot) / 1_000;

test('--metrics-file has the last run after each call, also where it fails or does not run', async () => {
  const user = createUser();
  const folder = join(user.home, 'textfiles');
  mkdirSync(folder);
  const file = join(folder, 'report.prom');
  const run = async (at: string, ...command: readonly string[]): Promise<string> => {
    await user.locks('run', 'report', '--once', at, '--next', '24h', '--metrics-file', file, '--', ...command);
    return readFileSync(file, 'utf8');
  };
  const done = await run(slot, 'true');
  expect(done).toContain(`locks_job_last_success_timestamp_seconds{locks_key="report"} ${unix}\n`);
  expect(done).toContain(`locks_job_next_timestamp_seconds{locks_key="report"} ${unix + 86_400}\n`);
  const failed = await run('2026-05-05T03:00Z', 'false');
  expect(failed).toContain('locks_job_failures{locks_key="report"} 1\n');
  expect(failed).toContain(`locks_job_last_success_timestamp_seconds{locks_key="report"} ${unix}\n`);
  writeFileSync(file, 'old');
  expect(await run('2026-05-05T03:00Z', 'true')).toBe(failed);
  expect(readdirSync(folder)).toEqual(['report.prom']);
  expect(statSync(file).mode & 0o777).toBe(0o644);
  const { code, output } = await user.locks('jobs', '--format', 'prometheus');
  expect({ code, output }).toEqual({ code: 0, output: failed });
});

test('a metrics file that cannot be written changes no exit code, and is told', async () => {
  const user = createUser();
  const file = join(user.home, 'none/report.prom');
  const job = ['run', 'report', '--once', slot, '--metrics-file', file, '--'];
  const { code, output, errors } = await user.locks(...job, 'sh', '-c', 'echo ran; exit 3');
  expect({ code, output }).toEqual({ code: 3, output: 'ran\n' });
  expect(errors).toMatch(/The metrics of report were not written\..*ENOENT/);
});

test.each([
  { args: ['run', 'key', '--metrics-file', 'x', '--', 'true'], says: '--metrics-file needs --once' },
  { args: ['jobs', '--format', 'xml'], says: 'Allowed choices are prometheus' },
])('$args is refused with 64: $says', async ({ args, says }) => {
  const { code, errors } = await createUser().locks(...args);
  expect(code).toBe(64);
  expect(errors).toContain(says);
});
