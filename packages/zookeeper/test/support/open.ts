import { systemRuntime } from '@locks/core/adapter';
import { connect } from '../../src/connection/connect.ts';
import type { ConnectionParts } from '../../src/connection/connect.ts';
import type { Connection } from '../../src/connection/connection.ts';
import type { WatchEvent } from '../../src/wire/records.ts';
import type { FakeClient, FakeServer } from './fake-server.ts';

/** A connection and what it has told. */
export interface Opened {
  readonly connection: Connection;
  readonly events: readonly WatchEvent[];
  /** Why it ended, as often as that was told. */
  readonly ends: readonly Error[];
  /** Resolves to the reason when the connection has ended. */
  readonly ended: Promise<Error>;
}

/** What `connect` needs, with the usual values. */
export function partsOf(parts: Partial<ConnectionParts> & Pick<ConnectionParts, 'address'>): ConnectionParts {
  return {
    sessionTimeout: 6_000,
    lastZxid: 0n,
    auth: [],
    within: 10_000,
    runtime: systemRuntime,
    onEvent: () => {},
    onEnd: () => {},
    ...parts,
  };
}

/** Connects. */
export async function openConnection(
  parts: Partial<ConnectionParts> & Pick<ConnectionParts, 'address'>,
): Promise<Opened> {
  const events: WatchEvent[] = [];
  const ends: Error[] = [];
  let resolve: (cause: Error) => void = () => {};
  const ended = new Promise<Error>((settle) => (resolve = settle));
  const connection = await connect(
    partsOf({
      ...parts,
      onEvent(event) {
        events.push(event);
        parts.onEvent?.(event);
      },
      onEnd(cause) {
        ends.push(cause);
        resolve(cause);
        parts.onEnd?.(cause);
      },
    }),
  );
  return { connection, events, ends, ended };
}

/** A connection to a fake server, the server's side of it, and the connect request. */
export async function meet(
  server: FakeServer,
  parts: Partial<ConnectionParts> = {},
): Promise<Opened & { readonly client: FakeClient; readonly begin: Buffer }> {
  const opening = openConnection({ address: server.address, ...parts });
  const client = await server.client();
  const begin = await client.accept();
  return { ...(await opening), client, begin };
}
