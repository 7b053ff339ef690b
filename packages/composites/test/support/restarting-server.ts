import { LockError, createLocks, createMemoryProvider, createMemoryStore } from '../../../core/src/index.ts';
import type { Holder, LockProvider, Locks } from '../../../core/src/index.ts';
import { clockAhead } from '../../../core/test/support/replaced.ts';
import { combine } from '../../src/index.ts';
import { watch } from '../../../core/test/support/setting.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

/** A server that can be down, and lose its data, and whose clock may be off. */
export class RestartingServer {
  readonly #runtime: VirtualRuntime;
  /** How far its clock is ahead, in ms. */
  readonly #ahead: number;
  #store;
  #closedUntil = 0;
  down = false;

  constructor(runtime: VirtualRuntime, ahead = 0) {
    this.#runtime = runtime;
    this.#ahead = ahead;
    this.#store = this.#make();
  }

  empty(): void {
    this.#store = this.#make();
  }

  /** It is there again without its data, and grants nothing for `guard` ms. */
  comeBackEmpty(guard = 0): void {
    this.empty();
    this.#closedUntil = this.#runtime.time + guard;
    this.down = false;
  }

  /** A process's way to it. */
  open(): LockProvider {
    let store = this.#store;
    let provider = createMemoryProvider({ store });
    const at = async (isAttempt = false): Promise<LockProvider> => {
      const closed = isAttempt && this.#runtime.time < this.#closedUntil;
      if (this.down || closed) throw new LockError('LOCK_UNAVAILABLE', 'It is down.', { sent: false });
      if (store !== this.#store) {
        store = this.#store;
        provider = createMemoryProvider({ store });
      }
      return provider;
    };
    return {
      name: 'memory',
      traits: provider.traits,
      tryAcquire: async (claim, wake) => await (await at(true)).tryAcquire(claim, wake),
      renew: async (claim, token) => await (await at()).renew(claim, token),
      release: async (claim) => await (await at()).release(claim),
      inspect: async (key) => await (await at()).inspect(key),
      time: async () => (await (await at()).time?.()) ?? 0,
      register: async (...call) => await (await at()).register?.(...call),
      async *list(prefix) {
        yield* (await at()).list?.(prefix) ?? [];
      },
      close: async () => {},
    };
  }

  #make(): ReturnType<typeof createMemoryStore> {
    return createMemoryStore({ runtime: clockAhead(this.#runtime, this.#ahead) });
  }
}

/** Moves time on until `promise` has settled. Gives what it gave. */
export async function within<T>(runtime: VirtualRuntime, promise: Promise<T>): Promise<T> {
  const watched = watch(promise);
  for (let ms = 0; watched.state === 'open' && ms < 20_000; ms += 1) await runtime.advance(1);
  return await promise;
}

/** Processes with three such servers as a majority. `change`: the way of one to each server. */
export function restartingQuorum(ttl: number) {
  const runtime = new VirtualRuntime();
  const servers = [0, 1, 2].map(() => new RestartingServer(runtime)) as [
    RestartingServer,
    RestartingServer,
    RestartingServer,
  ];
  const open = (change = (member: LockProvider, _index: number): LockProvider => member): Locks => {
    const members = servers.map((server, index) => change(server.open(), index));
    return createLocks(combine(members, { runtime, memberTimeout: 100 }), { runtime, ttl });
  };
  /** The holders at each server. */
  const holders = async (): Promise<readonly (readonly Holder[])[]> =>
    await Promise.all(servers.map(async (server) => (await server.open().inspect('job')).holders));
  return { runtime, servers, open, holders };
}
