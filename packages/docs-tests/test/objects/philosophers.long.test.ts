import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '@locks/conformance/processes';
import type { Child } from '@locks/conformance/processes';
import { createLocks } from '@locks/core';
import { createRandom } from '@locks/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startStore } from '../support/stores.ts';
import type { StoreName } from '../support/stores.ts';

/** What a process wrote down, in the order of its file. */
type Note = { readonly at: number; readonly owner: string } & (
  | { readonly type: 'eats'; readonly by: string; readonly tokens: readonly (readonly [key: string, token: string])[] }
  | { readonly type: 'holds' }
);

/** One fork in use: from the grant to the last moment at which it was certainly held. */
interface Use {
  readonly owner: string;
  readonly token: bigint;
  readonly from: number;
  readonly until: number;
}

interface Diners {
  readonly label: string;
  readonly file: string;
  readonly child: Child<'leave' | 'ready'>;
}

const everything = process.env['LOCKS_TEST_WHOLE'] !== undefined;
const stores: readonly StoreName[] = everything ? ['redis', 'postgres', 'zookeeper'] : ['redis'];
const seconds = everything ? 20 : 3;
const forks = ['fork/1', 'fork/2', 'fork/3', 'fork/4', 'fork/5'];
const ttl = 1_000;
/** With ZooKeeper the session is the lease. */
const sessionTimeout = 1_500;

function notesOf({ file }: Diners): readonly Note[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
  // A process that was killed may have written half a line.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Note);
}

/** All uses of `fork`, in the order of its tokens. */
function usesOf(fork: string, notes: readonly Note[]): readonly Use[] {
  const until = new Map(notes.map(({ owner, at }) => [owner, at]));
  const uses = notes.flatMap((note) => {
    if (note.type !== 'eats') return [];
    const { owner, at, tokens } = note;
    const end = until.get(owner) ?? at;
    return tokens
      .filter(([key]) => key === fork)
      .map(([, token]) => ({ owner, token: BigInt(token), from: at, until: end }));
  });
  return uses.toSorted((one, other) => (one.token < other.token ? -1 : 1));
}

// Four processes have a philosopher for each seat: twenty of them want five forks, two at once.
test.each(stores)(
  'philosophers of four processes eat on %s while processes are killed',
  { timeout: 180_000 },
  async (name) => {
    const store = await startStore(name);
    const folder = mkdtempSync(join(tmpdir(), 'locks-philosophers-'));
    const all: Diners[] = [];
    const live: Diners[] = [];
    onTestFinished(async () => {
      await Promise.all(all.map(({ child }) => child.kill()));
      await store.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const start = async (): Promise<void> => {
      const label = `p${all.length}`;
      const file = join(folder, label);
      const own = name === 'zookeeper' ? { ...store.options, sessionTimeout } : { ...store.options, waiterTtl: ttl };
      process.env['TABLE_STORE'] = JSON.stringify({ url: store.url, options: own, ttl, forks });
      process.env['TABLE_FILE'] = file;
      process.env['TABLE_LABEL'] = label;
      const module = new URL('../support/philosopher.mjs', import.meta.url);
      const diners = { label, file, child: startChild<'leave' | 'ready'>(module, { name: label }) };
      all.push(diners);
      live.push(diners);
      await diners.child.ask('ready');
    };
    for (let count = 0; count < 4; count += 1) await start();
    const meals = (diners: Diners): number => notesOf(diners).filter(({ type }) => type === 'eats').length;

    // No deadlock: each process eats again after each kill, while the line of a dead one lapses.
    const random = createRandom(20_261_123);
    const kills: number[] = [];
    for (const end = Date.now() + seconds * 1_000; Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 200 + 600 * random()));
      const [victim] = live.splice(Math.floor(live.length * random()), 1) as [Diners];
      await victim.child.kill();
      const at = performance.now();
      await start();
      const before = new Map(live.map((diners) => [diners, meals(diners)]));
      await vi.waitUntil(() => live.every((diners) => meals(diners) > (before.get(diners) ?? 0)), {
        timeout: 20_000,
        interval: 20,
      });
      kills.push(performance.now() - at);
    }
    await Promise.all(live.map(({ child }) => child.ask('leave')));

    // Nothing is left of those that were killed when their leases and places are over.
    const locks = createLocks(await store.open(), { closeProvider: true });
    onTestFinished(() => locks.close());
    const left = async (): Promise<number> => {
      let count = 0;
      for await (const _ of locks.list('fork/')) count += 1;
      return count;
    };
    await vi.waitUntil(async () => (await left()) === 0, { timeout: 10_000, interval: 50 });

    // No two eat with one fork.
    const notes = all.flatMap(notesOf);
    for (const fork of forks) {
      const uses = usesOf(fork, notes);
      expect(uses.length).toBeGreaterThan(10);
      uses.slice(1).forEach(({ from, owner }, index) => {
        const before = uses[index] as Use;
        expect(before.until, `${before.owner} held ${fork} until ${owner} had it`).toBeLessThanOrEqual(from);
      });
    }
    const eaten = notes.filter(({ type }) => type === 'eats').length;
    const slowest = Math.max(...kills).toFixed(0);
    console.log(`${name}: ${eaten} meals, ${kills.length} kills, all ate again within ${slowest} ms (ttl ${ttl})`);
  },
);
