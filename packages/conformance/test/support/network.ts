import { setTimeout as sleep } from 'node:timers/promises';
import { LockError, createMemoryProvider, createMemoryStore } from '@locks/core';
import type { LockProvider } from '@locks/core';
import type { GivenFaults } from '@locks/conformance';
import { createTextbook, sound } from '../flawed/textbook.ts';
import type { Rules, Store } from '../flawed/textbook.ts';
import { Link } from './link.ts';
import { Server } from './server.ts';
import type { Data } from './server.ts';

/** What a simulated network is made of. */
export interface NetworkOptions {
  /** Within how many ms each call settles. @default 250 */
  readonly timeout?: number;
  /** Whether those who wait are woken when pushes arrive again. @default true */
  readonly wakesAfterInterruption?: boolean;
  /** What each provider does differently. */
  readonly wrap?: (inner: LockProvider, link: Link) => Partial<LockProvider>;
}

/**
 * What a conformance run takes: providers and a store with a network between them, and the hooks
 * that hurt both.
 */
export interface Network {
  readonly create: () => LockProvider;
  readonly faults: GivenFaults;
}

/** A network of its own. */
export function createNetwork(createData: () => Data, options: NetworkOptions = {}): Network {
  const { timeout = 250, wakesAfterInterruption = true, wrap } = options;
  const server = new Server(createData);
  const links = new Map<LockProvider, Link>();
  const linkOf = (provider: LockProvider): Link => {
    const link = links.get(provider);
    if (link === undefined) throw new Error('This provider is not of this network, or was closed.');
    return link;
  };

  async function restart(empty: boolean): Promise<void> {
    server.stop();
    for (const link of links.values()) link.cut();
    await sleep(10);
    server.start({ empty });
  }

  const faults: GivenFaults = {
    sever: async (provider) => linkOf(provider).cut(),
    async silence(provider, direction) {
      const link = linkOf(provider);
      link.swallows = direction;
      return async () => {
        link.swallows = undefined;
        link.cut();
      };
    },
    async pause() {
      const thaw = server.freeze();
      return async () => thaw();
    },
    restart: () => restart(false),
    restartEmpty: () => restart(true),
    dropReply: async (provider) => void (linkOf(provider).dropsNext = true),
    async delay(provider, delay) {
      const link = linkOf(provider);
      link.delay = delay;
      return async () => void (link.delay = 0);
    },
    async duplicate(provider) {
      const link = linkOf(provider);
      link.duplicates = true;
      return async () => void (link.duplicates = false);
    },
  };

  return {
    faults,
    create() {
      const wakes = new Map<string, () => void>();
      const wakeAll = (): void => {
        if (wakesAfterInterruption) for (const wake of wakes.values()) queueMicrotask(wake);
      };
      const link = new Link(server, timeout, wakeAll);
      const inner = createClient(server, link, wakes, () => links.delete(provider));
      const provider: LockProvider = { ...inner, ...wrap?.(inner, link) };
      links.set(provider, link);
      return provider;
    },
  };
}

/** The provider: it sends, and is told. Everything else is decided by the server. */
function createClient(server: Server, link: Link, wakes: Map<string, () => void>, onClose: () => void): LockProvider {
  let [life, endpoint] = [server.life, server.open()];
  let closed = false;
  const traits = { ...endpoint.traits, scope: 'network' } as const;

  const request = async <T>(command: (remote: LockProvider) => Promise<T>): Promise<T> => {
    if (closed) throw closedError();
    return await link.request(() => {
      if (life !== server.life) [life, endpoint] = [server.life, server.open()];
      return command(endpoint);
    });
  };

  return {
    name: `remote ${endpoint.name}`,
    traits,
    async tryAcquire(claim, wake) {
      const { owner } = claim;
      if (wake !== undefined && !closed) wakes.set(owner, wake);
      // To the waiter at its arrival: the latest callback counts.
      const push = (): void => void link.push(() => wakes.get(owner)?.());
      const answer = await request((remote) => remote.tryAcquire(claim, wake && push));
      if (answer.granted) wakes.delete(owner);
      return answer;
    },
    renew: (claim, token) => request((remote) => remote.renew(claim, token)),
    release(claim) {
      wakes.delete(claim.owner);
      return request((remote) => remote.release(claim));
    },
    inspect: (key) => request((remote) => remote.inspect(key)),
    ...(endpoint.register && {
      register: (name, change) => request(async (remote) => await remote.register?.(name, change)),
    }),
    async *list(prefix) {
      yield* await request(async (remote) => {
        const keys: string[] = [];
        for await (const key of remote.list?.(prefix) ?? []) keys.push(key);
        return keys;
      });
    },
    async close() {
      if (closed) return;
      closed = true;
      for (const wake of wakes.values()) queueMicrotask(wake);
      wakes.clear();
      link.close(closedError());
      await endpoint.close();
      onClose();
    },
  };
}

function closedError(): LockError {
  return new LockError('LOCK_CLOSED', 'This provider is closed.');
}

/** The memory provider as the server. */
export function memoryData(): Data {
  const store = createMemoryStore();
  return { open: () => createMemoryProvider({ store }) };
}

/** Tokens that survive the loss of their counter. */
export const clockMint: Rules['mint'] = (entry, floor) => {
  const clock = BigInt(Math.floor((performance.timeOrigin + performance.now()) * 1_000));
  const next = sound.mint(entry, floor);
  return next > clock ? next : clock;
};

/** The textbook provider as the server, perhaps with a decision that is wrong. */
export function textbookData(changes: Partial<Rules> = {}): () => Data {
  return () => {
    const store: Store = new Map();
    return { open: () => createTextbook(store, { mint: clockMint, ...changes }) };
  };
}
