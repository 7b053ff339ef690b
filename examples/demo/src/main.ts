import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isLockError, openLocks } from '@locks/core';
import { openAccount } from './account.ts';
import { run } from './run.ts';
import type { Outcome } from './run.ts';

const usage = `Usage: npm run demo -- [--url <url>] [--workers <n>] [--updates <n>]

  --url <url>      where the lock lives; default: a temporary SQLite file, removed at the end
  --workers <n>    how many processes, 1 to 64; default: 4
  --updates <n>    how many updates each makes, 1 to 10000; default: 25`;

/** How long the store keeps the lock of a dead worker, in ms. */
const ttl = 2_000;

interface Options {
  readonly url: string | undefined;
  readonly workers: number;
  readonly updates: number;
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { url: text, workers: text, updates: text } });
  const count = (name: 'workers' | 'updates', usual: number, most: number): number => {
    const number = Number(values[name] ?? usual);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new RangeError(`Option --${name} must be a whole number from 1 to ${most}, not "${values[name]}".`);
  };
  return { url: values.url, workers: count('workers', 4, 64), updates: count('updates', 25, 10_000) };
}

/** Runs the demo in `folder`. Resolves to whether the lock kept its promise. */
async function demo(folder: string, options: Options, signal: AbortSignal): Promise<boolean> {
  const { url = `sqlite:${join(folder, 'locks.db')}`, ...counts } = options;
  const hasTables = /^(?:postgres|postgresql|mysql|mariadb|sqlite):/.test(url);
  await using locks = await openLocks({
    url,
    requires: { scope: 'host' },
    ...(hasTables && { options: { migrate: true } }),
  });
  console.log(`${counts.workers} processes share one bank balance. Each adds 1 to it ${counts.updates} times.\n`);
  const plan = { ...counts, url, ttl, signal };
  print('without a lock', await run({ ...plan, file: join(folder, 'without.json') }));
  const file = join(folder, 'with.json');
  const under = await run({ ...plan, file }, { locks, key: `demo/balance/${randomUUID()}` });
  print('with a lock', under);
  if (under.killed === undefined) return under.balance === under.made;

  const { token, freeAfter } = under.killed;
  console.log(
    `\nWorker 1 was killed while it held the lock, which came free after ${(freeAfter / 1_000).toFixed(2)} s.`,
  );
  const isRefused = refuses(file, token);
  console.log(`A late write with its token ${token} is ${isRefused ? 'refused' : 'ACCEPTED'}.`);
  return under.balance === under.made && isRefused;
}

function print(name: string, { made, balance }: Outcome): void {
  console.log(`${name.padEnd(16)}${made} updates, balance ${balance}: ${made - balance} lost`);
}

/**
 * What happens if the killed worker was only paused: it wakes up, still believes that it holds, and
 * writes.
 */
function refuses(file: string, token: bigint): boolean {
  try {
    openAccount(file).write(1_000_000, token);
    return false;
  } catch (error) {
    if (isLockError(error, 'LOCK_STALE')) return true;
    throw error;
  }
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
const folder = await mkdtemp(join(tmpdir(), 'locks-demo-'));
let options: Options | undefined;
try {
  options = readOptions();
  process.exitCode = (await demo(folder, options, stop.signal)) ? 0 : 1;
} catch (error) {
  console.error(stop.signal.aborted ? 'Stopped. No worker and no file is left behind.' : (error as Error).message);
  if (options === undefined) console.error(usage);
  process.exitCode = options === undefined || isLockError(error, 'LOCK_MISCONFIGURED') ? 2 : 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
