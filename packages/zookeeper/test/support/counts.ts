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

/** What one server has now; waits until it serves. */
export async function countsOf(member: ServerHandle): Promise<Readonly<Record<keyof typeof counted, number>>> {
  const answer = await eventually('an answer to mntr', async () => {
    const text = await fourLetterWord(member, 'mntr').catch(() => '');
    return text.includes(counted.nodes) && text;
  });
  const read = (name: string): number => {
    const text = new RegExp(`^${name}\\t(\\d+)`, 'm').exec(answer)?.[1];
    if (text === undefined) throw new Error(`The answer to mntr has no ${name}: ${answer.slice(0, 200)}`);
    return Number(text);
  };
  const { nodes, ephemerals, watches, connections, sessions } = counted;
  return {
    nodes: read(nodes),
    ephemerals: read(ephemerals),
    watches: read(watches),
    connections: read(connections),
    sessions: read(sessions),
  };
}
