import { setTimeout as delay } from 'node:timers/promises';
import { fourLetterWord } from './four-letter-word.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The role of a server in its ensemble. */
export type ZookeeperMode = 'leader' | 'follower' | 'observer' | 'standalone' | 'read-only';

/**
 * The reported mode of a server; `undefined` if it serves no clients or does not answer within
 * `timeout` ms.
 */
export async function modeOf(server: Address, timeout: number = 1_000): Promise<ZookeeperMode | undefined> {
  const answer = await fourLetterWord(server, 'srvr', timeout).catch(() => '');
  return /^Mode: (.*)$/m.exec(answer)?.[1] as ZookeeperMode | undefined;
}

/**
 * The only leader among `servers`, if it and its followers are at least `majority`. Waits for that,
 * at most 60 s. An isolated leader still reports itself as one for a while.
 */
export async function findLeader<T extends Address>(servers: readonly T[], majority: number): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    // Paused ones must not delay it, and slow ones are asked again.
    const modes = await Promise.all(servers.map((server) => modeOf(server, 250)));
    const serving = modes.filter((mode) => mode === 'leader' || mode === 'follower').length;
    const [leader, another] = servers.filter((_, index) => modes[index] === 'leader');
    if (leader !== undefined && another === undefined && serving >= majority) return leader;
    if (performance.now() > deadline) {
      const seen = modes.map((mode) => mode ?? 'not serving').join(', ');
      throw new Error(
        `the ensemble has had no leader for 60 s; its members are: ${seen}. ${majority} of them must run and reach each other`,
      );
    }
    await delay(20);
  }
}
