import type { ServerAddress } from '../server/address.ts';

/** The status of a member. Ids are decimal. */
export interface MemberStatus {
  readonly id: string;
  /** `0`: it knows none. */
  readonly leader: string;
  readonly term: string;
}

/** Asks one member, over HTTP. Rejects if it refuses or does not answer within 1 s. */
export async function askMember<Answer>(
  { host, port }: ServerAddress,
  path: string,
  body: object = {},
): Promise<Answer> {
  const response = await fetch(`http://${host}:${port}/v3/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(1_000),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The status of one member. Rejects as `askMember` does. */
export async function statusOf(server: ServerAddress): Promise<MemberStatus> {
  const {
    header,
    leader = '0',
    raftTerm = '0',
  } = await askMember<{
    readonly header: { readonly member_id: string };
    readonly leader?: string;
    readonly raftTerm?: string;
  }>(server, 'maintenance/status');
  return { id: header.member_id, leader, term: raftTerm };
}
