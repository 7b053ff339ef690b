import type { Busy, Claim, Grant, KeyState, LockProvider, Renewal, Traits } from '@locks/core';
import { LockError, errorText, isLockError, providerClosed } from '@locks/core/adapter';
import type { Runtime, TimerHandle } from '@locks/core/adapter';
import { closeQuietly, untilReopened } from '@locks/core/composite';

export interface LateMemberParts {
  readonly name: string;
  /** Its assumed traits until it opens. */
  readonly traits: Traits;
  readonly open: () => Promise<LockProvider>;
  readonly runtime: Runtime;
}

/** Why a composite cannot have a member of these traits, or `undefined`. */
type Refuse = (traits: Traits) => LockError | undefined;

/**
 * A member that is not open yet: its server did not answer when the composite opened. Its calls
 * reject with the reason and are never sent. It retries while the composite is open, and forwards
 * all calls once open.
 */
export class LateMember implements LockProvider {
  readonly name: string;
  /** Until it opens it is assumed to keep registers. */
  register?: NonNullable<LockProvider['register']> = (name, change) =>
    this.#provider?.register?.(name, change) ?? this.#notOpen(name);
  readonly #parts: LateMemberParts;
  #provider: LockProvider | undefined = undefined;
  #reason: unknown = new Error('it is being opened');
  #failures = 0;
  #refuse: Refuse = () => undefined;
  #report: (reason: unknown) => void = () => {};
  #attempt: Promise<void> | undefined = undefined;
  #pause: TimerHandle | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;

  constructor(parts: LateMemberParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  /** Continues with `attempt`, the first one to open it. */
  begin(attempt: Promise<LockProvider>, refuse: Refuse): void {
    this.#refuse = refuse;
    this.#attempt = this.#follow(attempt);
  }

  /** `report` is called when the reason changes. `undefined`: it is open. */
  follow(report: (reason: unknown) => void): void {
    this.#report = report;
  }

  get traits(): Traits {
    return this.#provider?.traits ?? this.#parts.traits;
  }

  tryAcquire(claim: Claim, wake?: () => void): Promise<Grant | Busy> {
    return this.#provider?.tryAcquire(claim, wake) ?? this.#notOpen(claim.key);
  }

  renew(claim: Claim, token?: bigint): Promise<Renewal | false> {
    return this.#provider?.renew(claim, token) ?? this.#notOpen(claim.key);
  }

  release(claim: Claim): Promise<boolean> {
    return this.#provider?.release(claim) ?? this.#notOpen(claim.key);
  }

  inspect(key: string): Promise<KeyState> {
    return this.#provider?.inspect(key) ?? this.#notOpen(key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    if (this.#provider === undefined) await this.#notOpen(prefix);
    if (this.#provider?.list === undefined) throw new LockError('LOCK_UNAVAILABLE', `${this.name} lists no keys.`);
    yield* this.#provider.list(prefix);
  }

  async time(): Promise<number> {
    if (this.#provider?.time === undefined) throw new LockError('LOCK_UNAVAILABLE', `${this.name} tells no time.`);
    return await this.#provider.time();
  }

  outage(): unknown {
    return this.#provider === undefined ? this.#reason : this.#provider.outage?.();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #follow(attempt: Promise<LockProvider>): Promise<void> {
    const { runtime, open } = this.#parts;
    try {
      const provider = await attempt;
      const refusal = this.#refuse(provider.traits);
      // Another attempt would return the same traits.
      if (refusal !== undefined) this.#because(refusal);
      if (refusal !== undefined || this.#closing !== undefined) {
        await closeQuietly(provider);
        return;
      }
      this.#provider = provider;
      if (provider.register === undefined) delete this.register;
      this.#report(undefined);
    } catch (error) {
      if (this.#closing !== undefined) return;
      this.#because(error);
      this.#failures += 1;
      const again = (): void => void (this.#attempt = this.#follow(open()));
      this.#pause = runtime.setTimer(again, untilReopened(runtime, this.#failures), false);
    }
  }

  #because(reason: unknown): void {
    const isNews = errorText(reason) !== errorText(this.#reason);
    this.#reason = reason;
    if (isNews) this.#report(reason);
  }

  async #notOpen(key: string): Promise<never> {
    if (this.#closing !== undefined) throw providerClosed(this.name);
    const code = isLockError(this.#reason, 'LOCK_MISCONFIGURED') ? this.#reason.code : 'LOCK_UNAVAILABLE';
    const message = `It is not open yet: ${errorText(this.#reason)}`;
    throw new LockError(code, message, { key, cause: this.#reason, sent: false });
  }

  /** A connection that is being opened cannot be ended before it is open. */
  async #close(): Promise<void> {
    if (this.#pause !== undefined) this.#parts.runtime.clearTimer(this.#pause);
    await this.#attempt;
    await this.#provider?.close();
  }
}
