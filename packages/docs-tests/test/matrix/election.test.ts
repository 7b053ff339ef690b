import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '@locks/conformance/processes';
import type { Child } from '@locks/conformance/processes';
import { createRandom } from '@locks/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startStore } from '../support/stores.ts';
import type { StoreName } from '../support/stores.ts';

/** What a candidate wrote down, in the order of its file. */
interface Note {
  readonly by: string;
  readonly type: 'elected' | 'leads' | 'sees';
  /** Ms of the clock of the host. */
  readonly at: number;
  readonly owner?: string | null;
  readonly token?: string;
}

/** One leader's time: from its election to the last moment at which it certainly led. */
interface Term {
  readonly owner: string;
  readonly token: bigint;
  readonly from: number;
  until: number;
}

interface Candidate {
  readonly label: string;
  readonly file: string;
  readonly child: Child<'resign' | 'ready'>;
}

const ttl = 1_500;
/** With ZooKeeper the session is the lease. */
const sessionTimeout = 3_000;
/** The servers of the tests look for expired sessions every so many ms: `tickTime`. */
const tick = 200;
const rounds = 24;
/** Reading the notes takes a while. */
const soon = { timeout: 20_000, interval: 50 };
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

function notesOf({ file }: Candidate): readonly Note[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
  // A process that was killed may have written half a line.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Note);
}

function termsOf(candidate: Candidate): readonly Term[] {
  const terms: Term[] = [];
  for (const { type, at, owner, token } of notesOf(candidate)) {
    const last = terms.at(-1);
    if (type === 'elected') terms.push({ owner: owner ?? '', token: BigInt(token ?? 0), from: at, until: at });
    else if (type === 'leads' && last !== undefined) last.until = at;
  }
  return terms;
}

function allTerms(candidates: readonly Candidate[]): readonly Term[] {
  return candidates.flatMap(termsOf).toSorted((one, other) => (one.token < other.token ? -1 : 1));
}

test.each<[StoreName]>([['redis'], ['postgres'], ['zookeeper']])(
  'five processes elect their leader in %s, through resignations, kills and pauses',
  { timeout: 240_000 },
  async (name) => {
    const store = await startStore(name);
    const folder = mkdtempSync(join(tmpdir(), 'locks-election-'));
    const all: Candidate[] = [];
    const live: Candidate[] = [];
    const start = async (): Promise<void> => {
      const label = `p${all.length}`;
      const file = join(folder, label);
      const { url, options } = store;
      const own = name === 'zookeeper' ? { ...options, sessionTimeout } : options;
      process.env['CANDIDATE_STORE'] = JSON.stringify({ url, options: own, ttl });
      process.env['CANDIDATE_FILE'] = file;
      process.env['CANDIDATE_LABEL'] = label;
      const child = startChild<'resign' | 'ready'>(new URL('../support/candidate.mjs', import.meta.url), {
        name: label,
      });
      const candidate = { label, file, child };
      all.push(candidate);
      live.push(candidate);
      await child.ask('ready');
    };
    onTestFinished(async () => {
      await Promise.all(all.map(({ child }) => child.kill()));
      await store.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    for (let count = 0; count < 5; count += 1) await start();

    const random = createRandom(20_261_123);
    const gaps: Record<'resign' | 'kill' | 'pause', number[]> = { resign: [], kill: [], pause: [] };
    for (let round = 0; round < rounds; round += 1) {
      const leader = await vi.waitUntil(() => {
        const last = allTerms(all).at(-1);
        if (last === undefined || now() - last.until > 100) return undefined;
        return live.find((each) => termsOf(each).some(({ owner }) => owner === last.owner));
      }, soon);
      // Longer than the observers need to see it.
      await new Promise((resolve) => setTimeout(resolve, 200 + 300 * random()));
      const known = allTerms(all).length;
      const next = async (): Promise<number> => await vi.waitUntil(() => allTerms(all)[known]?.from, soon);
      const what = (['resign', 'kill', 'pause'] as const)[round % 3] ?? 'resign';
      if (what === 'resign') {
        const answer = (await leader.child.ask('resign')) as { readonly resigned: boolean; readonly at: number };
        if (!answer.resigned) continue;
        gaps.resign.push((await next()) - answer.at);
      } else if (what === 'kill') {
        const at = now();
        await leader.child.kill();
        live.splice(live.indexOf(leader), 1);
        gaps.kill.push((await next()) - at);
        await start();
      } else {
        const at = now();
        await leader.child.pause();
        gaps.pause.push((await next()) - at);
        leader.child.resume();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 500));

    // Never two leaders by validity.
    const terms = allTerms(all);
    expect(terms.length).toBeGreaterThanOrEqual(rounds);
    terms.slice(1).forEach(({ from, owner }, index) => {
      const before = terms[index] as Term;
      expect(before.until, `${before.owner} led until ${owner} was elected`).toBeLessThanOrEqual(from);
    });
    // Each observer saw each change once, in order.
    const order = new Map(terms.map(({ owner }, index) => [owner, index]));
    let missed = 0;
    for (const candidate of all) {
      const seen = notesOf(candidate).flatMap(({ type, owner }) => (type === 'sees' && owner ? [owner] : []));
      const places = seen.map((owner) => order.get(owner) ?? -1);
      expect(places, candidate.label).toEqual([...new Set(places)].toSorted((one, other) => one - other));
      missed += (places.at(-1) ?? 0) - (places[0] ?? 0) + 1 - places.length;
    }
    const limit = name === 'zookeeper' ? sessionTimeout + tick : ttl;
    const median = (each: readonly number[]): number =>
      each.toSorted((one, other) => one - other)[each.length >> 1] ?? 0;
    const summary = Object.entries(gaps).map(([what, each]) => {
      const sorted = each.toSorted((one, other) => one - other);
      return `${what} ${sorted[sorted.length >> 1]?.toFixed(0)} (at most ${sorted.at(-1)?.toFixed(0)})`;
    });
    console.log(`${name}: ms to the next leader after ${summary.join(', ')}; limit ${limit}; missed ${missed}`);
    expect(median(gaps.kill), 'the half of the kills').toBeLessThan(limit + 100);
    expect(median(gaps.pause), 'the half of the pauses').toBeLessThan(limit + 100);
    // Two round trips on one machine, and 20 ms.
    expect(median(gaps.resign), 'the half of the resignations').toBeLessThan(25);
    // The machine may stand still now and then.
    expect(Math.max(...gaps.kill, ...gaps.pause)).toBeLessThan(limit + 600);
    expect(Math.max(...gaps.resign)).toBeLessThan(500);
  },
);
