import type { Party } from '../subjects/party.ts';

/** A client library, with a lock of its own commands and with @locks. */
export interface MeasuredClient {
  readonly name: string;
  open(url: string): Promise<ClientParties>;
}

export interface ClientParties {
  readonly raw: Party;
  readonly ours: Party;
  close(): Promise<unknown>;
}
