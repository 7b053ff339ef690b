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
   * clients, which takes a majority: when there is none, restart several at once.
   */
  readonly servers: readonly ServerHandle[];
  /** `zookeeper://host:port,host:port,…`, all members: what a client is given. */
  readonly url: string;
  /**
   * The member that leads a majority; waits until there is one. Rejects when there is none for 60
   * s.
   */
  leader(): Promise<ServerHandle>;
  /** The other members that vote, whether they run or not; waits until there is a leader. */
  followers(): Promise<readonly ServerHandle[]>;
  /**
   * Cuts one member off from all others, as a network that loses everything. Its clients still
   * reach it, and a follower still answers reads for up to `syncLimit` ticks. Returns what ends it.
   * Needs the option `partitions`.
   */
  partition(member: ServerHandle): () => Promise<void>;
  /**
   * Messages of the others to a member arrive `delay` ms later, so a follower answers reads from a
   * past that is as old. Returns what ends it. Needs the option `partitions`.
   */
  lag(member: ServerHandle, delay: number): () => void;
  /**
   * Messages of the others to a member wait, and arrive in their order when this is ended. Needs
   * the option `partitions`.
   */
  hold(member: ServerHandle): () => void;
  /**
   * Messages of a member to the others are lost. Ending it cuts its connections to them. Needs the
   * option `partitions`.
   */
  mute(member: ServerHandle): () => Promise<void>;
  /** Ends all members for good and removes their data. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts an ensemble of ZooKeeper servers of its own for the caller: local processes, or containers
 * on one network. Resolves when all serve clients. Rejects when `LOCKS_TEST_ZOOKEEPER_URL` names an
 * external server, for that one has no members to control.
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
