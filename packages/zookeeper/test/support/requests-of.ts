import { fourLetterWord } from '@locks/test-servers';
import type { ServerHandle } from '@locks/test-servers';

/** How many requests the server got while `work` was done, of all its clients. */
export async function requestsOf(server: ServerHandle, work: () => Promise<void>): Promise<number> {
  const count = async (): Promise<number> => {
    const answer = await fourLetterWord(server, 'mntr');
    return Number(/^zk_packets_received\t(\d+)/m.exec(answer)?.[1]);
  };
  const before = await count();
  await work();
  // The second question counts, too.
  return (await count()) - before - 1;
}
