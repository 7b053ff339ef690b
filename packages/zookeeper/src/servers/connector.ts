import type { Address } from '../connection/address.ts';
import type { ConnectionParts } from '../connection/connect.ts';
import type { Connection } from '../connection/connection.ts';
import { ConnectError, ConnectionClosedError } from '../connection/errors.ts';
import type { WatchEvent } from '../wire/records.ts';
import type { Refusals } from './refusals.ts';
import type { Rotation } from './rotation.ts';
import { shownNow } from './showing.ts';
import type { Showing } from './showing.ts';
import { connectToVotingServer } from './voting-server.ts';

/** What all connections of one session share. */
export interface Connecting extends Showing, Pick<ConnectionParts, 'runtime' | 'sessionTimeout'> {}

/** A session that needs a connection. */
export interface ConnectingSession {
  readonly id: bigint;
  readonly password: Buffer;
  /** In ms. */
  readonly timeout: number;
  /** Until when the servers certainly keep it, by the runtime's clock, in ms. */
  readonly deadline: number;
  /** The highest transaction that it has seen. */
  readonly lastZxid: bigint;
  readonly watches: { fire(event: WatchEvent): void };
  /** The servers will end it soon. */
  expire(cause: Error): void;
}

export interface ConnectAttempt {
  /** The session to resume, instead of a new one. */
  readonly resumed: ConnectingSession | undefined;
  /** Does not keep the process alive. */
  readonly background: boolean;
  /** Abandons the attempt. */
  readonly signal: AbortSignal;
}

/** A connection whose events and end go to a session. */
export interface NewConnection {
  readonly connection: Connection;
  /** Sends watch events to `session`. `ended` is called unless the connection has ended already. */
  transfer(session: ConnectingSession, ended: (cause: Error) => void): void;
}

/** In ms. A shorter session ends before a lock can be used in it. */
const leastTimeout = 50;

/** Connects to the next server, and checks that its sessions are usable. */
export async function connectToNext(
  connecting: Connecting,
  { rotation, refusals }: { readonly rotation: Rotation; readonly refusals: Refusals },
  { resumed, background, signal }: ConnectAttempt,
): Promise<NewConnection> {
  let session = resumed;
  let onEnd: (cause: Error) => void = () => {};
  const address = rotation.next();
  const shown = await shownNow(connecting, signal);
  const left = resumed === undefined ? Infinity : resumed.deadline - connecting.runtime.clock.now();
  const parts = {
    ...connecting,
    ...shown,
    address,
    resume: resumed,
    lastZxid: resumed?.lastZxid ?? 0n,
    within: rotation.patience(resumed?.timeout ?? connecting.sessionTimeout, left),
    background,
    signal,
    onEvent: (event: WatchEvent) => session?.watches.fire(event),
    onEnd: (cause: Error) => onEnd(cause),
  };
  const isKnown = resumed !== undefined && refusals.knows(address);
  const connection = await connectToVotingServer(parts, isKnown);
  refusals.accepted(address);
  if (connection.session.timeout < leastTimeout) {
    const short = tooShort(address, connection.session.timeout);
    // The servers use the new timeout already: leases must be lost before their nodes go.
    resumed?.expire(short);
    await connection.end(leastTimeout);
    throw short;
  }
  return {
    connection,
    transfer(owner, ended) {
      if (connection.ended) throw new ConnectionClosedError('the server closed the connection immediately');
      session = owner;
      onEnd = ended;
    },
  };
}

function tooShort(address: Address, timeout: number): ConnectError {
  return new ConnectError(
    address,
    `it grants sessions of ${timeout} ms; raise "maxSessionTimeout" in its configuration`,
  );
}
