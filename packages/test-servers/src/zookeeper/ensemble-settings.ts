import type { ZookeeperEnsembleOptions } from './ensemble.ts';

/** How the others reach a member. */
export interface MemberAddress {
  readonly host: string;
  readonly quorumPort: number;
  readonly electionPort: number;
  readonly observer: boolean;
}

/** Of the `zoo.cfg` of a local process: all members, numbered from 1, and their patience with each other. */
export function ensembleSettings(
  { initLimit = 20, syncLimit = 5 }: ZookeeperEnsembleOptions,
  members: readonly MemberAddress[],
  own: number,
): Record<string, string> {
  const lines = members.map(({ host, quorumPort, electionPort, observer }, index): readonly [string, string] => [
    `server.${index + 1}`,
    `${host}:${quorumPort}:${electionPort}${observer ? ':observer' : ''}`,
  ]);
  return {
    initLimit: `${initLimit}`,
    syncLimit: `${syncLimit}`,
    ...Object.fromEntries(lines),
    ...(members[own]?.observer === true ? { peerType: 'observer' } : {}),
  };
}
