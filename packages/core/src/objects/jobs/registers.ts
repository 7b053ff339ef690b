import type { LockProvider, RegisterChange } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';
import { following, readVersioned } from '../../options/versioned-text.ts';

/** The content of a register. */
export interface RegisterText {
  /** As stored. */
  readonly raw: string | undefined;
  /** Without the version that a composite adds. */
  readonly value: string | undefined;
}

/**
 * The registers of a provider. A store that was the member of a composite has texts with a version.
 * It rises with each change, so that processes that use the composite see changes by one that uses
 * the store alone: a service may be moved from one to the other.
 */
export class Registers {
  readonly #provider: LockProvider;

  constructor(provider: LockProvider) {
    this.#provider = provider;
  }

  async read(name: string): Promise<RegisterText> {
    const { text: raw, value } = readVersioned(await this.#call(name));
    return { raw, value };
  }

  /** Changes the text `raw`. Returns the content of the register afterwards. */
  async change(name: string, raw: string | undefined, value: string | undefined): Promise<RegisterText> {
    for (let before = readVersioned(raw); ;) {
      const to = before.promised > 0 ? following(before, value) : value;
      const found = readVersioned(await this.#call(name, { from: before.text, to }));
      // A composite may have changed only the version.
      const again = found.value === before.value && found.text !== before.text && found.text !== to;
      if (!again) return { raw: found.text, value: found.value };
      before = found;
    }
  }

  async #call(name: string, change?: RegisterChange): Promise<string | undefined> {
    const provider = this.#provider;
    if (provider.register === undefined) {
      const why = `which store the results of jobs, and ${provider.name} has none`;
      throw new LockError('LOCK_MISCONFIGURED', `once needs a provider with registers, ${why}. Use another provider.`);
    }
    try {
      return await provider.register(name, change);
    } catch (cause) {
      if (isLockError(cause)) throw cause;
      throw new LockError('LOCK_UNAVAILABLE', `${provider.name} did not report the state of a job; see the cause.`, {
        cause,
      });
    }
  }
}
