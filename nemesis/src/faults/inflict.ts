import { setTimeout as sleep } from 'node:timers/promises';
import type { Trap } from '@locks/conformance/faults';
import type { Proxy } from '@locks/test-servers';
import type { RunningBackend } from '../backends/backend.ts';
import type { Random } from '../random.ts';
import type { Workers } from '../workers.ts';
import type { FaultKind, PlannedFault } from './schedule.ts';

/** What faults are done to. */
export interface Victims {
  readonly workers: Workers;
  /** Of each slot: what is between its worker and each of the servers. */
  readonly proxies: readonly (readonly Proxy[])[];
  readonly backend: Pick<RunningBackend, 'servers' | 'between' | 'mayEmpty'>;
}

/** Does one fault and ends it after its time. */
export async function inflict(fault: PlannedFault, victims: Victims, random: Random): Promise<void> {
  const { kind, target, duration } = fault;
  switch (kind) {
    case 'kill':
      await victims.workers.replace(target, duration);
      break;
    case 'pause':
      await victims.workers.pause(target, duration);
      break;
    case 'server-pause':
    case 'server-restart':
    case 'server-empty':
    case 'server-cut-off':
    case 'server-lag':
      await hurtServer({ ...fault, kind }, victims.backend, random);
      break;
    default:
      await Promise.all(linksOf(fault, victims).map((proxy) => disturb({ ...fault, kind }, proxy, random)));
  }
}

function linksOf({ target, link }: PlannedFault, { proxies }: Victims): readonly Proxy[] {
  const links = proxies[target] ?? [];
  return link === undefined ? links : links.slice(link, link + 1);
}

type Fault<Kind extends FaultKind> = PlannedFault & { readonly kind: Kind };
type ServerFault = Fault<'server-pause' | 'server-restart' | 'server-empty' | 'server-cut-off' | 'server-lag'>;
type NetworkFault = Fault<Exclude<FaultKind, 'kill' | 'pause' | ServerFault['kind']>>;

async function hurtServer(
  { kind, target, duration }: ServerFault,
  { servers, between }: Victims['backend'],
  random: Random,
): Promise<void> {
  const server = servers[target];
  if (server === undefined) return;
  switch (kind) {
    case 'server-pause':
      await server.pause();
      await sleep(duration);
      await server.resume();
      break;
    case 'server-restart':
      await server.kill();
      await sleep(duration);
      await server.restart();
      break;
    case 'server-empty':
      await server.kill();
      await sleep(duration);
      await server.restart({ keepData: false });
      break;
    case 'server-cut-off': {
      const end = between?.cutOff(server);
      await sleep(duration);
      await end?.();
      break;
    }
    case 'server-lag': {
      const end = between?.lag(server, random.between(50, 600));
      await sleep(duration);
      end?.();
      break;
    }
    default:
      kind satisfies never;
  }
}

/** A connection without traffic would have the fault long after the log says that it was. */
async function springs(trap: Trap, within: number): Promise<void> {
  await Promise.race([trap.sprung, sleep(within)]);
  trap.disarm();
}

async function disturb({ kind, duration }: NetworkFault, proxy: Proxy, random: Random): Promise<void> {
  switch (kind) {
    case 'cut':
      await proxy.cut();
      break;
    case 'break':
      await springs(proxy.cutMidFrame(random.pick(['requests', 'replies'])), duration);
      break;
    case 'strand':
      proxy.strand();
      await sleep(duration);
      await proxy.cut();
      break;
    case 'drop-reply':
      await springs(proxy.dropReply(), duration);
      break;
    case 'silence':
    case 'no-requests':
    case 'no-replies': {
      const end = proxy.silence(kind === 'silence' ? 'both' : kind === 'no-requests' ? 'requests' : 'replies');
      await sleep(duration);
      await end();
      break;
    }
    case 'delay': {
      const end = proxy.delay(random.between(20, 400), random.pick(['requests', 'replies', 'both']));
      await sleep(duration);
      end();
      break;
    }
    case 'late': {
      // What a call had sent arrives after its caller gave it up, and maybe called again.
      const deliver = proxy.stall(random.pick(['requests', 'requests', 'both']));
      await sleep(duration);
      deliver();
      break;
    }
    case 'refuse': {
      const end = proxy.refuse();
      await proxy.cut();
      await sleep(duration);
      end();
      break;
    }
    default:
      kind satisfies never;
  }
}
