import { systemRuntime } from '@locks/core/adapter';
import { connect } from '../../src/connection/connect.ts';
import type { ConnectionParts } from '../../src/connection/connect.ts';
import type { Connection } from '../../src/connection/connection.ts';
import type { WatchEvent } from '../../src/wire/records.ts';

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
