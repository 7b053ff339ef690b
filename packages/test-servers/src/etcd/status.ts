import type { ServerAddress } from '../server/address.ts';

/** The status of a member. Ids are decimal. */
export interface MemberStatus {
  readonly id: string;
  /** `0`: it knows none. */
  readonly leader: string;
  readonly term: string;
}

/** Asks one member, over HTTP. Rejects if it does not answer within 1 s. */
export async function statusOf({ host, port }: ServerAddress): Promise<MemberStatus> {
  const response = await fetch(`http://${host}:${port}/v3/maintenance/status`, {
    method: 'POST',
    body: '{}',
    signal: AbortSignal.timeout(1_000),
  });
  const {
    header,
    leader = '0',
    raftTerm = '0',
  } = (await response.json()) as {
    readonly header: { readonly member_id: string };
    readonly leader?: string;
    readonly raftTerm?: string;
  };
  return { id: header.member_id, leader, term: raftTerm };
}
