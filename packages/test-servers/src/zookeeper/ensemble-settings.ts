import type { ZookeeperEnsembleOptions } from './ensemble.ts';

/** How the others reach a member. */
export interface MemberAddress {
  readonly host: string;
  readonly quorumPort: number;
  readonly electionPort: number;
  readonly observer: boolean;
}

/** What follows `server.<number>=` in `zoo.cfg`. */
export function memberLine({ host, quorumPort, electionPort, observer }: MemberAddress): string {
  return `${host}:${quorumPort}:${electionPort}${observer ? ':observer' : ''}`;
}

/** Of `zoo.cfg`, the same for all members. */
export function ensembleSettings({ initLimit = 40, syncLimit = 5 }: ZookeeperEnsembleOptions): Record<string, string> {
  return { initLimit: `${initLimit}`, syncLimit: `${syncLimit}` };
}
