import { setTimeout as sleep } from 'node:timers/promises';
import type { Proxy, ServerHandle } from '@locks/test-servers';
import type { Random } from '../random.ts';
import type { Workers } from '../workers.ts';
import type { PlannedFault } from './schedule.ts';

/** What faults are done to. */
export interface Victims {
  readonly workers: Workers;
  /** Of each slot: what is between its worker and each of the servers. */
  readonly proxies: readonly (readonly Proxy[])[];
  readonly servers: readonly ServerHandle[];
}

/** Does one fault and ends it after its time. */
export async function inflict(fault: PlannedFault, victims: Victims, random: Random): Promise<void> {
  const { kind, target, duration } = fault;
  switch (kind) {
    case 'kill':
      await victims.workers.replace(target, duration);
      break;
    case 'pause':
      victims.workers.signal(target, 'SIGSTOP');
      await sleep(duration);
      victims.workers.signal(target, 'SIGCONT');
      break;
    case 'server-pause':
      await victims.servers[target]?.pause();
      await sleep(duration);
      await victims.servers[target]?.resume();
      break;
    case 'server-restart':
      await victims.servers[target]?.kill();
      await sleep(duration);
      await victims.servers[target]?.restart();
      break;
    default:
      await Promise.all((victims.proxies[target] ?? []).map((proxy) => disturb({ ...fault, kind }, proxy, random)));
  }
}

type NetworkFault = PlannedFault & {
  readonly kind: Exclude<PlannedFault['kind'], 'kill' | 'pause' | 'server-pause' | 'server-restart'>;
};

async function disturb({ kind, duration }: NetworkFault, proxy: Proxy, random: Random): Promise<void> {
  switch (kind) {
    case 'cut':
      await proxy.cut();
      break;
    case 'break':
      proxy.cutMidFrame(random.pick(['requests', 'replies']));
      break;
    case 'drop-reply':
      proxy.dropReply();
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
