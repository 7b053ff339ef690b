import { onTestFinished } from 'vitest';
import { LockError, createLocks } from '../../../core/src/index.ts';
import { combine } from '../../src/index.ts';
import type { LockProvider, Locks } from '../../../core/src/index.ts';
import type { CombineOptions } from '../../src/index.ts';
import { through } from '../../../core/test/support/through.ts';
import { RestartingServer } from '../support/restarting-server.ts';
import { VirtualRuntime } from '../../../core/test/support/virtual-runtime.ts';

/** One process, and what it can do to its stores. */
export interface Process {
  readonly runtime: VirtualRuntime;
  readonly provider: LockProvider;
  readonly locks: Locks;
}

/** Stores of one world, by one letter each. */
export class World {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly #servers = new Map<string, RestartingServer>();
  /** How many calls all members got. */
  calls = 0;
  /** How many of these asked for a register. */
  registers = 0;
  /** Stores that do not answer. */
  readonly silent = new Set<string>();
  /** Stores that refuse connections. */
  readonly refusing = new Set<string>();

  #server(name: string): RestartingServer {
    const server = this.#servers.get(name) ?? new RestartingServer(this.runtime);
    this.#servers.set(name, server);
    return server;
  }

  /** The store comes back without its data. */
  empty(name: string): void {
    this.#server(name).empty();
  }

  /** A member that follows the store of that name. */
  member(name: string): LockProvider {
    const server = this.#server(name).open();
    const call = <T>(send: () => Promise<T>): Promise<T> => {
      this.calls += 1;
      if (this.silent.has(name)) return this.#noAnswer();
      if (this.refusing.has(name))
        return Promise.reject(new LockError('LOCK_UNAVAILABLE', 'no connection', { sent: false }));
      return send();
    };
    const register: LockProvider['register'] = (...given) => {
      this.registers += 1;
      return call(async () => await server.register?.(...given));
    };
    return { ...through(server, call), list: (prefix) => server.list!(prefix), register };
  }

  /** Members that follow these stores, one letter each. */
  members(names: string): readonly LockProvider[] {
    return [...names].map((name) => this.member(name));
  }

  /** What a provider makes of a server that does not answer. */
  #noAnswer(): Promise<never> {
    return new Promise((_, reject) => {
      this.runtime.setTimer(() => reject(new LockError('LOCK_UNAVAILABLE', 'no answer')), 5_000, false);
    });
  }

  /** A process whose members are these, one letter each. */
  start(members: string | readonly LockProvider[], options: CombineOptions = {}): Process {
    const runtime = new VirtualRuntime({ with: this.runtime });
    const all = typeof members === 'string' ? this.members(members) : members;
    const provider = combine(all, { runtime, memberTimeout: 100, ...options });
    const locks = createLocks(provider, { runtime, ttl: 10_000 });
    onTestFinished(async () => {
      const closed = Promise.all([locks.close(), provider.close()]);
      await this.runtime.advance(60_000);
      await closed;
    });
    return { runtime, provider, locks };
  }
}
