import { chooseServer } from '../../start/choose.ts';
import type { ServerHandle } from '../../server/handle.ts';
import { zookeeperImage } from '../definition.ts';
import type { ZookeeperEnsembleOptions } from './ensemble-settings.ts';
import { startLocalMembers } from './local-ensemble.ts';
import type { Members } from './members.ts';
import { findLeader } from '../mode.ts';

/** Several servers that are one ZooKeeper. */
export interface ZookeeperEnsemble extends AsyncDisposable {
  /**
   * Its members, each with its own address and controls. `restart()` of one resolves when it serves
   * clients, which needs a majority: without one, restart several simultaneously.
   */
  readonly servers: readonly ServerHandle[];
  /** `zookeeper://host:port,host:port,…`, all members. */
  readonly url: string;
  /** The leader of a majority; waits for one. Rejects if there is none for 60 s. */
  leader(): Promise<ServerHandle>;
  /** The other voting members, running or not; waits for a leader. */
  followers(): Promise<readonly ServerHandle[]>;
  /**
   * Isolates one member from all others by dropping all packets. Its clients still reach it, and a
   * follower still answers reads for up to `syncLimit` ticks. Returns a function that ends it.
   * Needs the option `partitions`.
   */
  partition(member: ServerHandle): () => Promise<void>;
  /**
   * Delays messages of the others to a member by `delay` ms, so a follower answers reads from that
   * long ago. Returns a function that ends it. Needs the option `partitions`.
   */
  lag(member: ServerHandle, delay: number): () => void;
  /**
   * Holds messages of the others to a member until the returned function is called, in order. Needs
   * the option `partitions`.
   */
  hold(member: ServerHandle): () => void;
  /**
   * Drops messages of a member to the others. Ending it cuts its connections to them. Needs the
   * option `partitions`.
   */
  mute(member: ServerHandle): () => Promise<void>;
  /** Ends all members permanently and removes their data. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a separate ensemble of ZooKeeper servers: local processes, or containers on one network.
 * Resolves when all serve clients. Rejects if `LOCKS_TEST_ZOOKEEPER_URL` names an external server,
 * which has no members to control.
 */
export async function startZookeeperEnsemble(options: ZookeeperEnsembleOptions = {}): Promise<ZookeeperEnsemble> {
  const { size = 3, observers = 0 } = options;
  if (size < 2)
    throw new Error(`"size" is ${size}: an ensemble has 2 members that vote or more; one alone is startZookeeper()`);
  const members = await startMembers({ tickTime: 500, ...options }, size, observers);
  const { servers } = members;
  const voters = servers.slice(0, size);
  const leader = (): Promise<ServerHandle> => findLeader(voters, Math.floor(size / 2) + 1);
  const indexOf = (member: ServerHandle): number => {
    const index = servers.indexOf(member);
    if (index === -1) throw new Error(`the server at ${member.host}:${member.port} is no member of this ensemble`);
    return index;
  };

  return {
    servers,
    url: `zookeeper://${servers.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    leader,
    async followers() {
      const first = await leader();
      return voters.filter((server) => server !== first);
    },
    partition: (member) => members.links().cutOff(indexOf(member)),
    lag: (member, delay) => members.links().lag(indexOf(member), delay),
    hold: (member) => members.links().hold(indexOf(member)),
    mute: (member) => members.links().mute(indexOf(member)),
    stop: members.stop,
    [Symbol.asyncDispose]: members.stop,
  };
}

async function startMembers(options: ZookeeperEnsembleOptions, size: number, observers: number): Promise<Members> {
  const choice = chooseServer('zookeeper', zookeeperImage);
  switch (choice.kind) {
    case 'local':
      return startLocalMembers(options, size, observers);
    case 'docker': {
      // Loads testcontainers.
      const { startContainerMembers } = await import('./container-ensemble.ts');
      return startContainerMembers(options, choice.image, size, observers);
    }
    case 'external':
      throw new Error(
        `${choice.variable} names one external server, but an ensemble of its own is needed: unset ${choice.variable}`,
      );
    default:
      return choice satisfies never;
  }
}
