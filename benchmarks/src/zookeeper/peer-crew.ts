import { sleep } from '../measure/clock.ts';
import { packClaims } from '../crew/claims.ts';
import type { Claim } from '../crew/claims.ts';
import type { Crew } from '../crew/crew.ts';
import type { Assignment, CrewReport } from '../crew/crew-messages.ts';
import { grantsOf, startPeer } from './peer.ts';
import type { Peer } from './peer.ts';
import { settling } from './settling.ts';

/** The warm-up of a peer's virtual machine, in ms. */
const peerWarmUp = 3_000;
const width = 4;

/** Workers that are threads of a peer's process. */
export async function openPeerCrew(assignment: Assignment, program: readonly string[]): Promise<Crew> {
  const { key, process, firstWorker, workers, turns, hold, url } = assignment;
  const peer = await startPeer(program, url);
  await peer.pairs(`/peers/${key}-warm-up-${process}`, 2, peerWarmUp);
  let grants = 0;
  let asking: NodeJS.Timeout | undefined;
  let closing = false;
  return {
    done: peer.answer('done').then(
      () => {},
      (error: unknown) => {
        if (!closing) throw error;
      },
    ),
    get grants() {
      return grants;
    },
    async begin() {
      peer.send(`contend /peers/${key} ${workers} ${firstWorker} ${turns === Infinity ? 0 : turns} ${hold}`);
      await sleep(settling(workers));
    },
    measure() {
      peer.send('measure');
      asking = setInterval(() => {
        // `done` reports the end of the process.
        grantsOf(peer).then(
          (count) => (grants = count),
          () => {},
        );
      }, 100);
    },
    async report() {
      clearInterval(asking);
      return await reportOf(peer);
    },
    async close() {
      closing = true;
      await peer[Symbol.asyncDispose]();
    },
  };
}

async function reportOf(peer: Peer): Promise<CrewReport> {
  const answered = peer.answer('claims');
  peer.send('report');
  const { claims: numbers, failures, firstFailure } = await answered;
  const claims: Claim[] = [];
  for (let index = 0; index < numbers.length; index += width) {
    const [worker = 0, calledAt = 0, grantedAt = -1, releasedAt = -1] = numbers.slice(index, index + width);
    claims.push({ worker, calledAt, placedAt: Infinity, grantedAt: known(grantedAt), releasedAt: known(releasedAt) });
  }
  return { claims: packClaims(claims), commands: 0, failures, firstFailure, pushes: [] };
}

function known(time: number): number {
  return time < 0 ? Infinity : time;
}
