import type { ZookeeperEnsembleOptions } from './ensemble.ts';

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

/** Of the `zoo.cfg` of a local process: all members, numbered from 1, and their patience with each other. */
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
