import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createUser, environmentIn, main } from '../support/locks-program.ts';
import type { User } from '../support/locks-program.ts';

const guide = (name: string): string =>
  readFileSync(new URL(`../../../../docs/guides/${name}.md`, import.meta.url), 'utf8');
const page = guide('job-has-not-run');

let server: ServerHandle;
beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());

interface Shell extends User {
  /** What a command line prints, and its exit code. */
  type(line: string): Promise<{ readonly code: number; readonly text: string }>;
  /** That of the store. */
  readonly url: string;
}

/** A user who has `locks` in PATH, and a store of their own. */
function openShell(): Shell {
  const user = createUser();
  const bin = join(user.home, 'bin');
  mkdirSync(bin);
  const locks = join(bin, 'locks');
  writeFileSync(locks, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(locks, 0o755);
  const url = `${server.url}?prefix=${encodeURIComponent(`${user.home}:`)}`;
  const env = { ...environmentIn(user.home), PATH: `${bin}:${process.env['PATH']}`, LOCKS_URL: url };
  return {
    ...user,
    url,
    async type(line) {
      const child = spawn('sh', ['-c', `${line} 2>&1`], { cwd: user.home, env, detached: true });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.stdin.end();
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code: code ?? -1, text };
    },
  };
}

/** The slots that the page names, as those of today: a night, and the ones before and after it. */
function withSlots(text: string): string {
  const today = new Date().toISOString().slice(0, 10);
  const days = { '2026-11-28': -1, '2026-11-29': 0, '2026-11-30': 1 };
  return Object.entries(days).reduce((changed, [day, offset]) => {
    const date = new Date(Date.parse(today) + offset * 86_400_000).toISOString().slice(0, 10);
    return changed.replaceAll(`${day}T03:00Z`, `${date}T00:00Z`);
  }, text);
}

/** Without what differs between runs: durations, moments, processes, the width of columns. */
function comparable(text: string): string {
  return text
    .replaceAll(/\b\d+(?:\.\d+)? m?s\b/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<moment>')
    .replaceAll(/[\w.-]+:\d+\b(?!:)/g, (word) => (word.startsWith('20') ? word : '<process>'))
    .replaceAll(/ {2,}/g, '  ')
    .trim();
}

test('the session of the page: from a report that is missing to its run', { timeout: 120_000 }, async () => {
  const [, session = ''] = /```text session\n([\s\S]*?)```/.exec(page) ?? [];
  const steps = session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => [step.slice(0, step.indexOf('\n')), step.slice(step.indexOf('\n') + 1)] as const);
  expect(steps.map(([line]) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'locks jobs',
    'locks inspect',
    'locks jobs',
    'locks run',
  ]);
  const shell = openShell();
  const full = join(shell.home, 'full');
  const script = join(shell.home, 'report.sh');
  writeFileSync(script, `#!/bin/sh\nif test -e '${full}'; then echo 'no space left' >&2; exit 1; fi\n`);
  chmodSync(script, 0o755);
  const night = (day: string): string => withSlots(`locks run report --once ${day}T03:00Z --next 24h -- ./report.sh`);
  expect((await shell.type(night('2026-11-28'))).code).toBe(0);
  writeFileSync(full, '');
  expect((await shell.type(night('2026-11-29'))).code).toBe(1);
  rmSync(full);
  for (const [line, expected] of steps) {
    const { code, text } = await shell.type(withSlots(line));
    expect(comparable(text), line).toBe(comparable(withSlots(expected)));
    expect(code, line).toBe(0);
  }
  expect((await shell.type('locks jobs --check')).code).toBe(0);
});

test('the Job that the page creates has the slot of the session', async () => {
  const [, name = ''] = /`kubectl create job (\S+) --from/.exec(page) ?? [];
  const shell = openShell();
  await shell.type(`locks run report --once job:${name} -- true`);
  const [, slot = ''] = /\$ locks run report --once (\S+)/.exec(page) ?? [];
  expect((await shell.type('locks jobs')).text).toContain(`done   ${slot} `);
});

test('each command of the page does what it says', { timeout: 120_000 }, async () => {
  const prose = page.replaceAll(/```[\s\S]*?```/g, '');
  const named = new Set([...prose.matchAll(/`(locks [^`]+)`/g)].map(([, line = '']) => line));
  const shell = openShell();
  const tried = new Set<string>();
  const type = async (line: string, more = ''): Promise<{ readonly code: number; readonly text: string }> => {
    expect([...named], 'the page').toContain(line);
    tried.add(line);
    return await shell.type(line + more);
  };
  const slot = '2026-05-04T03:00Z';
  const run = `locks run report --once ${slot}`;
  expect(await type('locks jobs')).toEqual({ code: 0, text: expect.stringContaining('No job has run') });
  expect((await type('locks -v jobs')).text).toContain(`locks are in ${server.url}`);

  expect((await shell.type(`${run} -- sh -c 'exit 3'`)).code).toBe(3);
  expect((await type('locks inspect report')).text).toContain('failed (exit 3)');
  expect((await type('locks jobs --check')).code).toBe(1);
  expect((await type('locks jobs retry report')).code).toBe(0);
  expect((await shell.type('locks jobs')).text).toMatch(/^report +open/m);

  const running = shell.type(`${run} --grace 100ms --ttl 3s -- sleep 60`);
  await expect
    .poll(async () => (await shell.type('locks jobs')).text, { timeout: 20_000 })
    .toMatch(/^report +running/m);
  expect((await shell.type(`${run} -- true`)).code).toBe(75);
  expect((await type('locks break once/report', ' --yes')).code).toBe(0);
  expect((await running).code).toBe(76);
  expect((await shell.type('locks jobs')).text).toMatch(/^report +lost/m);

  expect([0, 1]).toContain((await type('locks doctor')).code);
  expect((await type('locks jobs forget report --yes')).code).toBe(0);
  expect((await shell.type('locks jobs')).text).toContain('No job has run');
  expect([...tried].toSorted()).toEqual([...named].filter((line) => line !== 'locks run --once').toSorted());
});

test('the page is read in two minutes', () => {
  expect(page.match(/[\p{L}\p{N}]+(?:[-.'][\p{L}\p{N}]+)*/gu)?.length).toBeLessThanOrEqual(500);
});

test('what the page of a stuck lock says of its time and its holder', { timeout: 120_000 }, async () => {
  const stuck = guide('lock-is-stuck');
  const shell = openShell();
  const type = async (line: string, more = ''): Promise<string> => {
    expect(stuck).toContain(`\`${line}\``);
    return (await shell.type(line.replace('KEY', 'backup') + more)).text;
  };
  const left = async (): Promise<number> =>
    Number(/^\S+:\d+\S* +exclusive +\d+ +(\S+) m?s$/m.exec(await type('locks inspect KEY'))?.[1] ?? Number.NaN);
  const holder = shell.start(['run', 'backup', '--ttl', '2s', '--', 'sleep', '60'], { env: { LOCKS_URL: shell.url } });
  await expect.poll(left, { timeout: 20_000 }).toBeGreaterThan(0);
  const seen: number[] = [];
  await expect
    .poll(
      async () => {
        seen.push(await left());
        return seen.some((time, index) => time > (seen[index - 1] ?? Infinity));
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  holder.process.kill('SIGSTOP');
  await expect.poll(() => type('locks inspect KEY'), { timeout: 20_000 }).toContain('free');
  holder.process.kill('SIGCONT');
  expect((await holder.ended).code).toBe(76);

  const next = shell.type('locks run backup --ttl 2s -- sleep 60');
  await expect.poll(left, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await type('locks break KEY', ' --yes')).toContain('Ended the lease');
  expect((await next).code).toBe(76);
});
