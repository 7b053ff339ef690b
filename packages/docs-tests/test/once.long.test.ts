import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@locks/core/testing';
import { eventually, wallClockOff } from '@locks/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { startStore } from './support/stores.ts';

/** The clocks of five processes. */
const clocks = ['-2h', '-1h', '+0h', '+1h', '+2h'];
const { LOCKS_TEST_SECONDS = '4', LOCKS_TEST_SEED = '20261123' } = process.env;
const seconds = Number(LOCKS_TEST_SECONDS);
const script = fileURLToPath(new URL('support/once-a-second.mjs', import.meta.url));

/** What the processes told, by the slot of the store's clock in which it was. */
interface Told {
  readonly runs: number[];
  readonly killed: Set<number>;
  /**
   * Calls that came late, or failed, and runs that this process heard of late, and so killed late.
   */
  excuses: number;
  ready: number;
  /** The least time from a grant to its message, in ms, on top of a constant. */
  delay: number;
}

function slotOf(token: string): number {
  return Math.round(Number(token) / 1_000_000);
}

async function start(
  url: string,
  clock: string,
  told: Told,
  onRun: (child: ChildProcess, slot: number) => void,
): Promise<ChildProcess> {
  const env = { ...process.env, ...(await wallClockOff(clock)) };
  const child = spawn(process.execPath, [script, url], { stdio: ['ignore', 'pipe', 'inherit'], env });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [word, number = ''] = line.split(' ');
    if (word === 'ready') told.ready += 1;
    else if (word === 'late' || word === 'failed') told.excuses += 1;
    else if (word === 'run') {
      told.runs.push(slotOf(number));
      const delay = performance.now() - Number(number) / 1_000;
      told.delay = Math.min(told.delay, delay);
      if (delay - told.delay > 300) told.excuses += 1;
      onRun(child, slotOf(number));
    }
  });
  return child;
}

async function run(name: 'redis' | 'postgres', kills: boolean): Promise<Told> {
  const store = await startStore(name);
  onTestFinished(() => store.stop());
  // Creates the tables.
  await (await store.open()).close();
  const random = createRandom(Number(LOCKS_TEST_SEED));
  const told: Told = { runs: [], killed: new Set(), excuses: 0, ready: 0, delay: Infinity };
  const children: ChildProcess[] = [];
  let over = false;
  const begin = async (clock: string): Promise<void> => {
    const began = await start(store.url, clock, told, (child, slot) => {
      if (!kills || over || random() < 0.6) return;
      child.kill('SIGKILL');
      told.killed.add(slot);
      void begin(clock);
    });
    children.push(began);
    if (over) began.kill('SIGKILL');
  };
  onTestFinished(() => {
    over = true;
    for (const child of children) child.kill('SIGKILL');
  });
  await Promise.all(clocks.map((clock) => begin(clock)));
  await eventually('five processes', () => told.ready >= clocks.length, 30_000);
  await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
  over = true;
  return told;
}

test.each([
  ['redis', false],
  ['redis', true],
  ['postgres', false],
  ['postgres', true],
] as const)(
  'five processes whose clocks are hours apart run once in each second: %s, kills: %s',
  { timeout: 1_000 * seconds + 60_000 },
  async (name, kills) => {
    const { runs, killed, excuses } = await run(name, kills);
    const slots = [...new Set(runs)].toSorted((one, other) => one - other);
    const message = `seed ${LOCKS_TEST_SEED}: ${runs.join()}, killed in ${[...killed].join()}, ${excuses} late or failed`;
    expect(runs.length, message).toBe(slots.length);
    const missing = slots.at(-1)! - slots[0]! + 1 - slots.length;
    if (seconds >= 60) console.log({ name, slots: slots.length, missing, killed: killed.size, excuses });
    // Where all calls of a second came late, or a runner died before it could tell.
    expect(missing, message).toBeLessThanOrEqual(excuses + killed.size);
    if (excuses === 0 && !kills) expect(missing, message).toBe(0);
    // The slot after a kill has its run, unless calls came late.
    const after = [...killed].map((slot) => slot + 1).filter((slot) => slot <= slots.at(-1)!);
    expect(after.filter((slot) => !slots.includes(slot)).length, message).toBeLessThanOrEqual(excuses);
    expect(slots.length, message).toBeGreaterThanOrEqual(seconds - 1 - excuses);
  },
);
