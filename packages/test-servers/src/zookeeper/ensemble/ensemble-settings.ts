import type { ZookeeperOptions } from '../definition.ts';

/** Options of `startZookeeperEnsemble`. */
export interface ZookeeperEnsembleOptions extends ZookeeperOptions {
  /** How many members vote. @default 3 */
  readonly size?: number;
  /** How many members do not vote; they come last. @default 0 */
  readonly observers?: number;
  /** In ms; see `startZookeeper`. @default 500 */
  readonly tickTime?: number;
  /** In ticks: time limit for a member to catch up with the leader. @default 20 */
  readonly initLimit?: number;
  /** In ticks: the longest silence between a member and its leader. @default 5 */
  readonly syncLimit?: number;
  /**
   * Enables `partition`, `lag`, `hold` and `mute`: the members reach each other through proxies of
   * this process, which take some of its time. Local processes only.
   * @default false
   */
  readonly partitions?: boolean;
}

/** The address of a member for the others. */
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
 * Settings in `zoo.cfg` of a local process: all members, numbered from 1, and their time limits.
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
