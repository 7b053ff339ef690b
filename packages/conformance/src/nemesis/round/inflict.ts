import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryEvent } from '@locks/core/testing';
import type { Direction, Trap, Way } from '../../proxy/conditions.ts';
import type { Proxy } from '../../proxy/proxy.ts';
import { now } from '../clock.ts';
import { deploy } from '../draw/draw-faults.ts';
import type { NetworkFault, ProcessFault } from '../draw/draw-faults.ts';
import { createRandom } from '../draw/random.ts';
import type { Fault } from '../script.ts';
import type { NemesisTarget } from '../target.ts';
import type { Fleet } from './fleet.ts';

/** The targets of faults. */
export interface Victims {
  readonly fleet: Fleet;
  /** Of each slot: the proxies between its worker and each of the servers. */
  readonly proxies: readonly (readonly Proxy[])[];
  readonly target: Pick<NemesisTarget, 'faults'>;
  /** Resolves when all deploys so far have ended. */
  deployed: Promise<void>;
}

/**
 * Causes each fault at its time, and records it when it has ended. A fault of a server may take
 * longer than drawn, so the next one waits for it.
 */
export async function inflictAll(
  faults: readonly Fault[],
  victims: Victims,
  note: (event: HistoryEvent) => void,
): Promise<void> {
  let ofServers = Promise.resolve();
  const follow = async (fault: Fault): Promise<void> => {
    await sleep(fault.at);
    if (fault.worker !== undefined) return await inflict(fault, victims, note);
    ofServers = ofServers.then(() => inflict(fault, victims, note));
    await ofServers;
  };
  await Promise.all(faults.map(follow));
}

async function inflict(fault: Fault, victims: Victims, note: (event: HistoryEvent) => void): Promise<void> {
  const { kind, worker, opening, amount } = fault;
  if (kind === deploy && worker !== undefined && opening !== undefined) {
    // The next one begins when all before have ended.
    victims.deployed = victims.deployed.then(() => victims.fleet.succeed(worker, opening, amount === 1));
    return await victims.deployed;
  }
  const { fleet, target } = victims;
  const own = worker === undefined ? target.faults?.[kind] : undefined;
  if (worker === undefined && own === undefined) throw new Error(`the target has no fault ${kind} of servers`);
  if ((await own?.may?.()) === false) return;
  const from = now();
  const hit = worker === undefined ? {} : { hit: fleet.nameOf(worker) };
  if (own !== undefined) {
    const end = await own.begin(fault.server ?? 0, fault.amount ?? 0);
    const begun = now();
    await sleep(fault.duration);
    const ending = now();
    await end?.();
    note({ type: 'fault', at: now(), process: 'control', from, kind, certain: [begun, ending] });
    return;
  }
  await hurt(fault, worker ?? 0, victims);
  note({ type: 'fault', at: now(), process: 'control', from, kind, ...hit });
}

async function hurt(fault: Fault, worker: number, { fleet, proxies }: Victims): Promise<void> {
  const { duration, amount = 0, server } = fault;
  const kind = fault.kind as ProcessFault | NetworkFault;
  switch (kind) {
    case 'kill':
      return await fleet.replace(worker, duration);
    case 'pause':
      return await fleet.pause(worker, duration);
    case 'block':
      return await fleet.order(worker, { kind, duration });
    case 'clock-step':
      await fleet.order(worker, { kind, by: amount });
      await sleep(duration);
      return await fleet.order(worker, { kind, by: -amount });
    default: {
      const links = (proxies[worker] ?? []).filter((_, index) => server === undefined || index === server);
      await Promise.all(links.map((proxy) => disturb(kind, fault, proxy)));
    }
  }
}

async function disturb(kind: NetworkFault, fault: Fault, proxy: Proxy): Promise<void> {
  const { duration, direction = 'both', amount = 0 } = fault;
  switch (kind) {
    case 'cut':
      return await proxy.cut();
    case 'break':
      return await springs(proxy.cutMidFrame(direction as Way), duration);
    case 'drop-reply':
      return await springs(proxy.dropReply(), duration);
    case 'strand':
      proxy.strand();
      await sleep(duration);
      return await proxy.cut();
    case 'silence':
      return await during(duration, proxy.silence('both'));
    case 'no-requests':
      return await during(duration, proxy.silence('requests'));
    case 'no-replies':
      return await during(duration, proxy.silence('replies'));
    case 'delay':
      return await during(duration, proxy.delay(amount, direction));
    case 'jitter':
      return await jitter(proxy, fault, direction);
    case 'late':
      // What a call had sent arrives after its caller abandoned it, and maybe called again.
      return await during(duration, proxy.stall(direction));
    case 'duplicate':
      return await during(duration, proxy.duplicate());
    case 'refuse': {
      const end = proxy.refuse();
      await proxy.cut();
      return await during(duration, end);
    }
    case 'flap':
      for (let rest = duration; rest > 0; rest -= 2 * amount) {
        await during(Math.min(rest, amount), proxy.silence(direction));
        await sleep(Math.min(Math.max(0, rest - amount), amount));
      }
      return;
    default:
      kind satisfies never;
      throw new Error(`there is no fault ${String(kind)} of workers`);
  }
}

async function during(duration: number, end: () => void | Promise<void>): Promise<void> {
  await sleep(duration);
  await end();
}

/** Another delay every 50 ms. */
async function jitter(proxy: Proxy, { at, duration, amount = 0 }: Fault, direction: Direction): Promise<void> {
  const random = createRandom(at);
  for (let rest = duration; rest > 0; rest -= 50) {
    await during(Math.min(rest, 50), proxy.delay(random.between(0, amount), direction));
  }
}

/** A connection without traffic would have the fault long after the recorded time. */
async function springs(trap: Trap, within: number): Promise<void> {
  await Promise.race([trap.sprung, sleep(within)]);
  trap.disarm();
}
