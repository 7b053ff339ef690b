import { askEtcd } from './ask.ts';
import type { ServerAddress } from '../server/address.ts';

/** The status of a member. Ids are decimal. */
export interface MemberStatus {
  readonly id: string;
  /** `0`: it knows none. */
  readonly leader: string;
  readonly term: string;
}

/** In ms: a member that stands still does not hold up those who ask all. */
export const within = 1_000;

/** The status of one member. Rejects if it does not answer within 1 s. */
export async function statusOf(server: ServerAddress): Promise<MemberStatus> {
  const {
    header,
    leader = '0',
    raftTerm = '0',
  } = await askEtcd<{
    readonly header: { readonly member_id: string };
    readonly leader?: string;
    readonly raftTerm?: string;
  }>(server, 'maintenance/status', {}, { within });
  return { id: header.member_id, leader, term: raftTerm };
}
