import { expect, test } from 'vitest';
import { createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { Claim, LockProvider } from '../../../core/src/index.ts';
import { createRandom } from '../../../core/src/testing/random.ts';
import { VirtualRuntime } from '../../../core/src/testing/virtual-runtime.ts';
import { Link, calm } from '../../../core/test/schedules/link.ts';

/** In ms: how long a call to a member that stands still lasts. */
const callTimeout = 2_000;
/** In ms: longer than all answers of a round together, so no vote ends before it is counted. */
const ttl = 30_000;

interface Process {
  readonly runtime: VirtualRuntime;
  readonly provider: LockProvider;
}

/**
 * Four claims on one key, in two processes. Fewer than half of the members stand still, and answers
 * of the others may be late.
 */
class Schedule {
  readonly problems: string[] = [];
  readonly #world = new VirtualRuntime();
  readonly #random: () => number;
  readonly #processes: readonly Process[];
  #holders = 0;
  #running = 0;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    const random = this.#random;
    const count = 3 + this.#below(3);
    const stores = Array.from({ length: count }, () => createMemoryStore({ runtime: this.#world }));
    const slowest = 60 + this.#below(140);
    const weather = { ...calm, slow: random() * 0.6, slowest };
    const frozen = this.#below(count);
    const twoFrozen = count === 5 && random() < 0.5;
    const isFrozen = (index: number): boolean => index === frozen || (twoFrozen && index === (frozen + 1) % count);
    this.#processes = Array.from({ length: 2 }, () => {
      const runtime = new VirtualRuntime({ seed: this.#below(2 ** 31), with: this.#world });
      const members = stores.map((store, index) => {
        const link = new Link(createMemoryProvider({ store }), weather, this.#world, runtime, random, callTimeout);
        if (isFrozen(index)) link.cutUntil = Infinity;
        return link;
      });
      return { runtime, provider: combine(members, { memberTimeout: 100, runtime }) };
    });
  }

  async play(): Promise<void> {
    for (const index of [0, 1, 2, 3]) void this.#contend(index);
    while (this.#running > 0 && this.problems.length === 0) {
      await this.#world.advance(1);
      if (this.#world.time > 120_000) this.problems.push('it does not end');
    }
  }

  async #contend(index: number): Promise<void> {
    this.#running += 1;
    const process = this.#processes[index % 2] as Process;
    await pause(process, this.#below(30));
    for (let round = 0; round < 3; round += 1) {
      const claim: Claim = { key: 'job', owner: `me/${index}.${round}`, ttl, mode: 'exclusive' };
      try {
        await this.#take(process, claim);
      } catch (error) {
        this.problems.push(String(error));
      }
    }
    this.#running -= 1;
  }

  async #take(process: Process, claim: Claim): Promise<void> {
    const { provider } = process;
    const waits = this.#random() < 0.8;
    for (;;) {
      const sentAt = this.#world.time;
      let wakeUp = (): void => {};
      const woken = new Promise<void>((resolve) => (wakeUp = resolve));
      const answer = await provider.tryAcquire(claim, waits ? wakeUp : undefined);
      const took = this.#world.time - sentAt;
      if (took >= callTimeout) this.problems.push(`an answer took ${took} ms`);
      if (answer.granted) break;
      if (!waits) return;
      await Promise.race([woken, pause(process, answer.retryAfter ?? 50)]);
    }
    this.#holders += 1;
    if (this.#holders > 1) this.problems.push('two holders');
    await pause(process, 1 + this.#below(20));
    this.#holders -= 1;
    await provider.release(claim);
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

function pause({ runtime }: Process, ms: number): Promise<void> {
  return new Promise((resolve) => void runtime.setTimer(resolve, ms, false));
}

test('where a majority answers, late or not, no claim is told of an outage, or waits for the others', async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const schedule = new Schedule(seed);
    await schedule.play();
    expect(schedule.problems, `with seed ${seed}`).toEqual([]);
  }
});
