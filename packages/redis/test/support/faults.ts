import type { Faults } from '@locks/conformance';
import { proxiedProviders } from '@locks/conformance/faults';
import type { LockProvider } from '@locks/core';
import type { ServerHandle } from '@locks/test-servers';
import { eventually, untilAnswered } from './redis.ts';

/** Providers that can be hurt one by one. */
export interface Breakable {
  /** A provider with a proxy of its own, which ends when it is closed. */
  readonly create: () => Promise<LockProvider>;
  readonly faults: Faults;
}

/**
 * Whether `piece` has a command of a provider, and not one by which the client sets its connection
 * up.
 */
export function isScriptCall(piece: Buffer): boolean {
  return /\r\neval(?:sha)?\r\n/i.test(piece.toString('latin1'));
}

/**
 * Providers on `server`, which `make` connects; `ownServer` may also be paused and restarted, as no
 * other test uses it.
 */
export function breakable(
  server: ServerHandle,
  ownServer: boolean,
  make: (url: string) => LockProvider | Promise<LockProvider>,
): Breakable {
  const { create, faults, proxyOf } = proxiedProviders({
    target: server,
    make: (proxy) => make(proxy.url(server.url)),
    dropReply: (proxy) => void proxy.dropReply({ when: isScriptCall }),
  });
  const onTheWay: Faults = {
    ...faults,
    async duplicate(provider) {
      await untilAnswered('an answer', () => provider.inspect('any key'));
      const proxy = proxyOf(provider);
      const before = proxy.clientConnections;
      const end = await faults.duplicate(provider);
      await eventually('as many connections as before', () => proxy.clientConnections === before);
      return end;
    },
  };
  const atTheServer: Faults = {
    async pause() {
      await server.pause();
      return () => server.resume();
    },
    restart: () => server.restart(),
    restartEmpty: () => server.restart({ keepData: false }),
  };
  return { create, faults: ownServer ? { ...onTheWay, ...atTheServer } : onTheWay };
}
