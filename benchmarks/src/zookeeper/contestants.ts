import { setImmediate } from 'node:timers/promises';
import { runPairs } from '../measure/pair-loop.ts';
import type { Pairs } from '../measure/pair-loop.ts';
import type { PeerPrograms } from './peer-programs.ts';
import { startPeer } from './peer.ts';
import { openParty } from './subjects/index.ts';

/** A subject that can be measured repeatedly, wherever it runs. */
export interface Contestant {
  readonly name: string;
  /** Each of `concurrency` workers acquires and releases a separate key for `ms`. */
  run(concurrency: number, ms: number): Promise<Pairs>;
  close(): Promise<void>;
}

/** The warm-up of a peer's virtual machine for each concurrency, in ms. */
const peerWarmUp = 5_000;

export async function openContestant(
  name: string,
  url: string,
  { commands }: PeerPrograms,
  concurrency: number,
): Promise<Contestant> {
  const command = commands.get(name);
  if (command === undefined) {
    const party = await openParty(name, url);
    return {
      name,
      async run(workers, ms) {
        await setImmediate();
        return await runPairs(name, party, workers, ms);
      },
      close: () => party.close(),
    };
  }
  const peer = await startPeer(command, url);
  const prefix = `/peers/${name}`;
  await peer.pairs(prefix, concurrency, peerWarmUp);
  return {
    name,
    run: (workers, ms) => peer.pairs(prefix, workers, ms),
    close: async () => await peer[Symbol.asyncDispose](),
  };
}
