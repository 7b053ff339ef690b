import type { ZookeeperOptions } from '../definition.ts';

/** Options of `startZookeeperEnsemble`. */
export interface ZookeeperEnsembleOptions extends ZookeeperOptions {
  /** How many members vote. @default 3 */
  readonly size?: number;
  /** How many members do not vote; they come last. @default 0 */
  readonly observers?: number;
  /** In ms; see `startZookeeper`. @default 500 */
  readonly tickTime?: number;
  /** In ticks: how long a member may take to catch up with the leader. @default 20 */
  readonly initLimit?: number;
  /** In ticks: how long a member and its leader do without hearing from each other. @default 5 */
  readonly syncLimit?: number;
  /**
   * Lets `partition`, `lag`, `hold` and `mute` be used: the members reach each other through
   * proxies of this process, which take some of its time. Local processes only.
   * @default false
   */
  readonly partitions?: boolean;
}

/** How the others reach a member. */
export interface MemberAddress {
  readonly host: string;
  readonly quorumPort: number;
  readonly electionPort: number;
  readonly observer: boolean;
}

/** In ticks, as settings. */
export function patienceOf({ initLimit = 20, syncLimit = 5 }: ZookeeperEnsembleOptions): {
  readonly initLimit: string;
  readonly syncLimit: string;
} {
  return { initLimit: `${initLimit}`, syncLimit: `${syncLimit}` };
}

/**
 * Of the `zoo.cfg` of a local process: all members, numbered from 1, and their patience with each
 * other.
 */
export function ensembleSettings(
  options: ZookeeperEnsembleOptions,
  members: readonly MemberAddress[],
  own: number,
): Record<string, string> {
  const lines = members.map(({ host, quorumPort, electionPort, observer }, index): readonly [string, string] => [
    `server.${index + 1}`,
    `${host}:${quorumPort}:${electionPort}${observer ? ':observer' : ''}`,
  ]);
  return {
    ...patienceOf(options),
    ...Object.fromEntries(lines),
    ...(members[own]?.observer === true ? { peerType: 'observer' } : {}),
  };
}
