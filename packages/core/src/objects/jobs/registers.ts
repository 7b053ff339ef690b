import type { LockProvider, RegisterChange } from '../../contract.ts';
import { LockError, isLockError } from '../../errors/lock-error.ts';

/** What a register has. */
export interface RegisterText {
  /** As the store has it. */
  readonly raw: string | undefined;
  /** Without the version that a composite has put before it. */
  readonly value: string | undefined;
}

/**
 * The registers of a provider. A store that was the member of a composite has texts with a version,
 * `12:text`. It rises with each change, so that processes which use the composite see a change of
 * one that uses the store alone: a service may be deployed from one to the other.
 */
export class Registers {
  readonly #provider: LockProvider;

  constructor(provider: LockProvider) {
    this.#provider = provider;
  }

  async read(name: string): Promise<RegisterText> {
    return textOf(await this.#call(name));
  }

  /** Changes what has the text `raw`. Gives what the register has then. */
  async change(name: string, raw: string | undefined, value: string | undefined): Promise<RegisterText> {
    const version = /^(\d+):/.exec(raw ?? '')?.[1];
    const to = version === undefined ? value : `${Number(version) + 1}:${value ?? ''}`;
    return textOf(await this.#call(name, { from: raw, to }));
  }

  async #call(name: string, change?: RegisterChange): Promise<string | undefined> {
    const provider = this.#provider;
    if (provider.register === undefined) {
      const why = `which keep what became of a job, and ${provider.name} has none`;
      throw new LockError('LOCK_MISCONFIGURED', `once needs a provider with registers, ${why}. Use another provider.`);
    }
    try {
      return await provider.register(name, change);
    } catch (cause) {
      if (isLockError(cause)) throw cause;
      throw new LockError('LOCK_UNAVAILABLE', `${provider.name} did not answer what became of a job.`, { cause });
    }
  }
}

function textOf(raw: string | undefined): RegisterText {
  const value = raw?.replace(/^\d+:/, '');
  return { raw, value: value === '' ? undefined : value };
}
