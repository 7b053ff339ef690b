import { setTimeout as sleep } from 'node:timers/promises';
import { serveParent } from '@locks/conformance/processes';
import { isLockError, openLocks, subscribe } from '@locks/core';
import type { Lease, Locks, LocksConfig } from '@locks/core';
import { openAccount } from '../account.ts';

/** What the demo asks a process for. */
export type Request =
  /** Works until it is told to end. The leader takes its lease anew when it leaves a store. */
  | {
      readonly kind: 'work';
      readonly name: string;
      readonly config: LocksConfig;
      readonly file: string;
      readonly leads: boolean;
      /** On the clock of all processes, in ms. */
      readonly begun: number;
    }
  /** Resolves to how many updates it has made. */
  | { readonly kind: 'count' }
  | { readonly kind: 'end' };

let updates = 0;
/** The process has left a store that it used alone. */
let leaves = false;
let working: Promise<void> = Promise.resolve();
let ended = false;
// Ctrl-C reaches the processes too: the demo ends them.
process.on('SIGINT', () => {});
serveParent(async (request: Request) => {
  if (request.kind === 'count') return updates;
  if (request.kind === 'end') {
    ended = true;
    return await working;
  }
  const { name, begun, config } = request;
  const say = (text: string): void => {
    const seconds = (performance.timeOrigin + performance.now() - begun) / 1_000;
    console.log(`${seconds.toFixed(1).padStart(5)} s  ${name}  ${text}`);
  };
  let effective: string = 'both';
  let refused = '';
  subscribe('locks:migration', (message) => {
    if (message.event === 'changed' && message.effective !== effective) {
      effective = message.effective;
      refused = '';
      say(describe(effective));
      leaves = effective === 'both';
    }
    // It looks again and again.
    const by =
      message.by
        ?.map((each) => each.replace(/~.*/, ''))
        .toSorted()
        .join(' and ') ?? '';
    if (message.event === 'refused' && by !== '' && by !== refused) {
      refused = by;
      say(`stays in both stores, for ${by} still locks in the ${message.desired === 'to' ? 'old' : 'new'} one alone`);
    }
  });
  const locks = await openLocks(config);
  working = work(locks, request, say);
  return undefined;
});

function describe(phase: string): string {
  if (phase === 'both') return 'locks in both stores';
  return `locks in the ${phase === 'from' ? 'old' : 'new'} store alone`;
}

async function work(
  locks: Locks,
  { file, leads }: Extract<Request, { kind: 'work' }>,
  say: (text: string) => void,
): Promise<void> {
  const account = openAccount(file);
  const lead = async (): Promise<Lease> => {
    const lease = await locks.acquire('leader');
    say(`leads, with token ${lease.token}`);
    leaves = false;
    return lease;
  };
  let lease = leads ? await lead() : undefined;
  while (!ended) {
    // A lease of one store alone would keep its process there.
    if (lease !== undefined && leaves) {
      if (!(await lease.release())) process.exitCode = 1;
      lease = await lead();
    }
    try {
      await locks.withLock('balance', async ({ token }) => {
        const balance = account.read();
        await sleep(2);
        account.write(balance + 1, token);
        updates += 1;
      });
    } catch (error) {
      // A machine that stalls for a whole ttl loses the lock. Then the update is tried again.
      if (!isLockError(error, 'LOCK_LOST') && !isLockError(error, 'LOCK_STALE')) throw error;
    }
    await sleep(Math.random() * 20);
  }
  if (lease !== undefined) {
    say(`led until now, with token ${lease.token}: ${lease.held ? 'never lost' : 'LOST'}`);
    if (!(await lease.release())) process.exitCode = 1;
  }
  await locks.close();
}
