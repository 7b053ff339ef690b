import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '../../contract.ts';
import { mustHandOff } from '../../options/local-hand-off.ts';
import type { LocalHandOff } from '../../options/local-hand-off.ts';
import type { Clock } from '../../time/clock.ts';
import type { TimerWheel } from '../../time/timer-wheel.ts';
import type { HandOffHost } from './hand-off-host.ts';
import type { LocalHold } from './local-hold.ts';
import { LocalLine } from './local-line.ts';

/**
 * Another provider, where the exclusive claims of this process that wait for one key pass it on
 * without the store (ADR 40).
 */
export class HandOffProvider implements LockProvider {
  readonly name: string;
  readonly traits: Traits;
  readonly tryAcquireAll: LockProvider['tryAcquireAll'];
  readonly list?: NonNullable<LockProvider['list']>;
  readonly time?: NonNullable<LockProvider['time']>;
  readonly outage?: NonNullable<LockProvider['outage']>;
  readonly #host: HandOffHost;
  readonly #lines = new Map<string, LocalLine>();
  #closed = false;

  constructor(host: HandOffHost) {
    this.#host = host;
    const { provider } = host;
    this.name = provider.name;
    // Claims of this process pass those of others that are in line.
    this.traits = { ...provider.traits, fair: false };
    this.tryAcquireAll = provider.tryAcquireAll?.bind(provider);
    if (provider.list !== undefined) this.list = provider.list.bind(provider);
    if (provider.time !== undefined) this.time = provider.time.bind(provider);
    if (provider.outage !== undefined) this.outage = provider.outage.bind(provider);
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    const { key, mode } = claim;
    let line = this.#lines.get(key);
    if (this.#closed || (line === undefined && (wake === undefined || mode === 'shared'))) {
      return this.#host.provider.tryAcquire(claim, wake);
    }
    if (line === undefined) {
      line = new LocalLine(this.#host, () => this.#lines.delete(key));
      this.#lines.set(key, line);
    }
    return line.tryAcquire(claim, wake);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#of(claim).renew(claim, token);
  }

  release(claim: Claim): Promise<boolean> {
    return this.#of(claim).release(claim);
  }

  async inspect(key: string): Promise<KeyState> {
    const state = await this.#host.provider.inspect(key);
    return this.#lines.get(key)?.shown(state) ?? state;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#host.provider.close();
    for (const line of this.#lines.values()) line.wakeAll();
  }

  /** What the store knows of the lease of `claim` instead. `undefined`: nothing else. */
  stored({ key, owner }: Claim): LocalHold['stored'] | undefined {
    return this.#lines.get(key)?.holdOf(owner)?.stored;
  }

  /** The lease of `claim` ends without a release. */
  forget({ key, owner }: Claim): void {
    const line = this.#lines.get(key);
    const hold = line?.holdOf(owner);
    if (hold !== undefined) line?.forget(hold);
  }

  #of({ key }: Claim): Pick<LockProvider, 'renew' | 'release'> {
    return this.#lines.get(key) ?? this.#host.provider;
  }
}

/**
 * `provider` with local hand-offs.
 * @throws `LOCK_MISCONFIGURED` where it cannot have them.
 */
export function handingOff(
  provider: LockProvider,
  bounds: LocalHandOff,
  clock: Clock,
  timers: TimerWheel,
): HandOffProvider {
  mustHandOff(provider);
  return new HandOffProvider({ provider, clock, timers, ...bounds });
}
