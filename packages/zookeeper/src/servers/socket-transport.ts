import { printAddresses } from '../connection/address.ts';
import { AbandonedSessions } from './abandoned-sessions.ts';
import { Connector } from './connector.ts';
import { Refusals } from './refusals.ts';
import { Rotation } from './rotation.ts';
import { overSeparateConnection } from './separate-connection.ts';
import type { SeparateParts } from './separate-connection.ts';
import type { Transport } from './transport.ts';

/** Connections over sockets of this package. */
export function socketTransport(parts: SeparateParts): Transport {
  const { addresses, runtime, sessionTimeout } = parts;
  const rotation = new Rotation(addresses, runtime);
  const refusals = new Refusals(addresses, runtime);
  const connector = new Connector(parts, rotation, refusals);
  return {
    servers: printAddresses(addresses),
    alternatives: addresses.length > 1,
    sessionTimeout,
    rotation,
    refusals,
    ending: new AbandonedSessions(parts, new Rotation(addresses, runtime)),
    connect: (attempt) => connector.connect(attempt),
    separately: (signal, read) => overSeparateConnection(parts, signal, read),
  };
}
