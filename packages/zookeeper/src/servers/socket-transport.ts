import { printAddresses } from '../connection/address.ts';
import { abandonedSessions } from './abandoned-sessions.ts';
import { connectToNext } from './connector.ts';
import { Refusals } from './refusals.ts';
import { Rotation } from './rotation.ts';
import { overSeparateConnection } from './separate-connection.ts';
import type { SeparateParts } from './separate-connection.ts';
import type { Transport } from './transport.ts';

/** Connections over sockets of this package. */
export function socketTransport(parts: SeparateParts): Transport {
  const { addresses, runtime, sessionTimeout } = parts;
  const transport: Transport = {
    servers: printAddresses(addresses),
    alternatives: addresses.length > 1,
    sessionTimeout,
    rotation: new Rotation(addresses, runtime),
    refusals: new Refusals(addresses, runtime),
    ending: abandonedSessions(parts, new Rotation(addresses, runtime)),
    connect: (attempt) => connectToNext(parts, transport, attempt),
    separately: (signal, read) => overSeparateConnection(parts, signal, read),
  };
  return transport;
}
