import { CommandCounter } from '../redis/counting-client.ts';
import { loadSubject } from './subjects/index.ts';
import { connectAll } from './nodes.ts';
import { median } from '../measure/statistics.ts';
import type { Result } from '../results.ts';

const warmUp = 20;
const pairs = 200;

/**
 * Counts sequential round trips. A command is one deeper than the deepest command that was answered
 * before it was sent.
 */
class DepthCounter extends CommandCounter {
  depth = 0;
  #resets = 0;

  override add(name: string, answered: Promise<unknown>): void {
    super.add(name, answered);
    const own = this.depth + 1;
    const resets = this.#resets;
    const note = (): void => {
      // A release that a majority answered still gets the answer of the last node.
      if (resets === this.#resets) this.depth = Math.max(this.depth, own);
    };
    answered.then(note, note);
  }

  override reset(): void {
    super.reset();
    this.depth = 0;
    this.#resets += 1;
  }
}

/** Round trips and messages of one acquire and release without contention. */
export async function countRoundTrips(
  urls: readonly string[],
  name: string,
): Promise<Pick<Result, 'roundTripsPerGrant' | 'roundTripsPerPair' | 'commandsPerAcquisition'>> {
  const counter = new DepthCounter();
  const clients = await connectAll(urls, counter);
  const party = (await loadSubject(name)).open(clients, { retryDelay: undefined });
  const grants: number[] = [];
  const wholes: number[] = [];
  let commands = 0;
  for (let pair = 0; pair < warmUp + pairs; pair += 1) {
    counter.reset();
    const held = await party.acquire(`round-trips/${name}`);
    const granted = counter.depth;
    await held.release();
    if (pair < warmUp) continue;
    grants.push(granted);
    wholes.push(counter.depth);
    commands += counter.total;
  }
  for (const client of clients) client.disconnect();
  return {
    roundTripsPerGrant: median(grants),
    roundTripsPerPair: median(wholes),
    commandsPerAcquisition: commands / pairs,
  };
}
