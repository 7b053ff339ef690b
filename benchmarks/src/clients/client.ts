import type { Party } from '../subjects/party.ts';

/** A client library, under a lock of its own commands and under @locks. */
export interface MeasuredClient {
  readonly name: string;
  open(url: string): Promise<ClientParties>;
}

export interface ClientParties {
  readonly raw: Party;
  readonly ours: Party;
  close(): Promise<unknown>;
}
