import { now } from '../measure/clock.ts';
import { CommandCounter } from '../redis/counting-client.ts';
import { percentile } from '../measure/statistics.ts';
import { connectAll } from './nodes.ts';

const warmUp = 300;
const samples = 300;

/** Ms of one simultaneous write to all nodes, without other load: median. */
export async function measureRoundTrip(urls: readonly string[]): Promise<number> {
  const clients = await connectAll(urls, new CommandCounter());
  const times: number[] = [];
  for (let sample = 0; sample < warmUp + samples; sample += 1) {
    const start = now();
    await Promise.all(clients.map((client) => client.set('round-trip', 'owner', 'PX', 1_000)));
    if (sample >= warmUp) times.push(now() - start);
  }
  for (const client of clients) client.disconnect();
  return percentile(times, 0.5) ?? Number.NaN;
}
