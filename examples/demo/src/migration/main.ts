import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startChild } from '@locks/conformance/processes';
import type { Child } from '@locks/conformance/processes';
import { migrationStatus, waitForPhase } from '@locks/composites';
import { openLocks } from '@locks/core';
import type { Phase } from '@locks/composites';
import type { LocksConfig } from '@locks/core';
import { openAccount } from '../account.ts';
import type { Request } from './process.ts';

const usage = `Usage: npm run demo:migration -- [--pause <ms>]

  --pause <ms>   how long each step is left as it is, 100 to 10000; default: 4000`;

/** How long a process that died keeps the others in "both", in ms. */
const presenceTtl = 3_000;
const names = ['p1', 'p2', 'p3'] as const;

function readPause(): number {
  const { values } = parseArgs({ options: { pause: { type: 'string' } } });
  const pause = Number(values.pause ?? 4_000);
  if (Number.isInteger(pause) && pause >= 100 && pause <= 10_000) return pause;
  throw new RangeError(`Option --pause must be a whole number from 100 to 10000, not "${values.pause}".`);
}

/** Tells the story in `folder`. Resolves to whether no update and no lease was lost. */
async function demo(folder: string, pause: number, signal: AbortSignal): Promise<boolean> {
  const begun = performance.timeOrigin + performance.now();
  const file = join(folder, 'balance.json');
  const store = (name: string): object => ({
    url: `sqlite:${join(folder, `${name}.db`)}`,
    options: { migrate: true, pollInterval: 100 },
  });
  const stores = { from: store('old'), to: store('new') };
  // One at a time makes the tables.
  for (const each of Object.values(stores)) await (await openLocks(each)).close();
  const configOf = (name: string): LocksConfig => ({
    provider: 'migrate',
    ttl: 2_000,
    options: { name: 'demo', label: name, ...stores, phase: `file:${join(folder, name)}`, presenceTtl },
  });
  const tell = async (phase: Phase, ...told: readonly string[]): Promise<void> => {
    for (const name of told) {
      await writeFile(join(folder, 'next'), phase);
      await rename(join(folder, 'next'), join(folder, name));
    }
  };
  const step = (text: string): void => console.log(`\n${text}`);
  const children = new Map<string, Child<Request>>();
  const start = async (name: string): Promise<void> => {
    const child = startChild<Request>(new URL('./process.js', import.meta.url), { name });
    children.set(name, child);
    await child.ask({ kind: 'work', name, config: configOf(name), file, leads: name === 'p1', begun });
  };
  const kill = async (): Promise<void> => {
    await Promise.all([...children.values()].map((child) => child.kill()));
  };
  const all = async (phase: Phase): Promise<void> => {
    await waitForPhase(configOf('p1'), phase, '60s');
    await sleep(pause, undefined, { signal });
  };
  const killAll = (): void => void kill();
  signal.addEventListener('abort', killAll);
  try {
    step('Three processes change one balance. Their locks are in the old store.');
    await tell('from', ...names);
    await Promise.all(names.map(start));
    await all('from');

    step('1. All are told: both stores.');
    await tell('both', ...names);
    await all('both');

    step('2. The new store, but p3 is told the old one by mistake.');
    await tell('from', 'p3');
    await waitUntil(async () => (await phaseOf(configOf('p3'), 'p3')) === 'from');
    await tell('to', 'p1', 'p2');
    await sleep(pause + presenceTtl / 2, undefined, { signal });

    step('p3 is killed. It was in the old store, so the others are told both stores once more.');
    const third = children.get('p3');
    const lost = Number(await third?.ask({ kind: 'count' }));
    await third?.kill();
    await tell('both', 'p1', 'p2');
    await all('both');
    await tell('to', 'p1', 'p2');
    await all('to');
    await tell('to', 'p3');
    await start('p3');
    await all('to');

    step('Back to the old store, and forth again, each time over both.');
    for (const phase of ['both', 'from', 'both', 'to'] as const) {
      await tell(phase, ...names);
      await all(phase);
    }

    const { obstacles, to } = await migrationStatus(configOf('p1'));
    if (obstacles.to.length > 0) throw new Error(obstacles.to.map(({ what }) => what).join('; '));
    step(`3. The new store without migrate may follow: its tokens are higher in ${to.safeIn ?? 0} ms.`);
    const counts = await Promise.all(
      [...children.values()].map(async (child) => {
        await child.ask({ kind: 'end' });
        return Number(await child.ask({ kind: 'count' }));
      }),
    );
    const made = counts.reduce((sum, count) => sum + count, 0);
    const balance = openAccount(file).read();
    // p3 went on for a moment after it was asked.
    console.log(`\nbalance ${balance}: ${made} updates of those that live, and ${lost} or a few more of the dead one`);
    return balance >= made + lost && balance <= made + lost + 50;
  } finally {
    signal.removeEventListener('abort', killAll);
    await kill();
  }
}

async function phaseOf(config: LocksConfig, name: string): Promise<Phase | undefined> {
  const { processes } = await migrationStatus(config);
  return processes.find((each) => each.process.startsWith(`${name}~`))?.effective;
}

async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(100);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
const folder = await mkdtemp(join(tmpdir(), 'locks-demo-'));
let pause: number | undefined;
try {
  pause = readPause();
  process.exitCode = (await demo(folder, pause, stop.signal)) ? 0 : 1;
} catch (error) {
  console.error(stop.signal.aborted ? 'Stopped. No process and no file is left behind.' : (error as Error).message);
  if (pause === undefined) console.error(usage);
  process.exitCode = pause === undefined ? 2 : 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
