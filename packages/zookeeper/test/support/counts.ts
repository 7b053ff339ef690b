import { eventually, fourLetterWord } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';

/** What `mntr` calls what must not grow. */
const counted = {
  nodes: 'zk_znode_count',
  ephemerals: 'zk_ephemerals_count',
  watches: 'zk_watch_count',
  connections: 'zk_num_alive_connections',
  sessions: 'zk_global_sessions',
} as const;

/** What `mntr` tells of one server under these names; waits until it serves. */
async function figuresOf<Name extends string>(
  member: ServerHandle,
  names: Readonly<Record<Name, string>>,
): Promise<Readonly<Record<Name, number>>> {
  const answer = await eventually('an answer to mntr', async () => {
    const text = await fourLetterWord(member, 'mntr').catch(() => '');
    return text.includes(counted.nodes) && text;
  });
  const read = (name: string): number => {
    const text = new RegExp(`^${name}\\t(\\d+)`, 'm').exec(answer)?.[1];
    if (text === undefined) throw new Error(`The answer to mntr has no ${name}: ${answer.slice(0, 200)}`);
    return Number(text);
  };
  const figures = Object.entries<string>(names).map(([own, name]) => [own, read(name)]);
  return Object.fromEntries(figures) as Record<Name, number>;
}

/** What one server has now. */
export async function countsOf(member: ServerHandle): Promise<Readonly<Record<keyof typeof counted, number>>> {
  return await figuresOf(member, counted);
}

/** How many requests the server got while `work` was done, of all its clients. */
export async function requestsOf(server: ServerHandle, work: () => Promise<void>): Promise<number> {
  const received = { received: 'zk_packets_received' };
  const before = await figuresOf(server, received);
  await work();
  // The second question counts, too.
  return (await figuresOf(server, received)).received - before.received - 1;
}
