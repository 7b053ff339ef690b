import type { LockProvider, Traits } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import type { OptionReaders } from './option-reader.ts';
import { flag, oneOf } from './option-readers.ts';
import { readOptions } from './read-options.ts';

/** Traits that a configuration requires, at least. An unmet one fails at start-up, by name. */
export interface Requires {
  /** At least this far: `process` < `host` < `network`. */
  readonly scope?: Traits['scope'] | undefined;
  /** What must end the hold of a dead holder. */
  readonly expiry?: Traits['expiry'] | undefined;
  /** At least this strong: `none` < `clock-bounded` < `strict`. */
  readonly fencing?: Traits['fencing'] | undefined;
  /** First come, first served. */
  readonly fair?: boolean | undefined;
  /** Shared locks and permits. */
  readonly shared?: boolean | undefined;
  /** Waiters are notified of their turn, and need not poll. */
  readonly wake?: boolean | undefined;
}

const readers: OptionReaders<Requires> = {
  scope: oneOf('process', 'host', 'network'),
  expiry: oneOf('ttl', 'observed', 'session'),
  fencing: oneOf('none', 'clock-bounded', 'strict'),
  fair: flag,
  shared: flag,
  wake: flag,
};

/** From the narrowest to the widest. */
export const scopes = ['process', 'host', 'network'] as const;
/** From the weakest to the strongest. */
export const fencings = ['none', 'clock-bounded', 'strict'] as const;

/** Throws `LOCK_MISCONFIGURED` unless `provider` satisfies `requires`. */
export function checkRequires(provider: LockProvider, requires: Requires | undefined): void {
  if (requires === undefined) return;
  const demanded = readOptions(readers, requires, { where: 'Option "requires"', code: 'LOCK_MISCONFIGURED' });
  const lacking = lackingTraits(provider.traits, demanded);
  if (lacking.length === 0) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    `The ${provider.name} provider does not satisfy option "requires": ${lacking.join(', ')}. Choose another provider, or relax "requires".`,
  );
}

/** What `traits` lack of `demanded`, such as "fair: true (it has false)". */
export function lackingTraits(traits: Traits, demanded: Requires): readonly string[] {
  return Object.entries(demanded)
    .filter(([name, demand]) => !meets(traits, name as keyof Requires, demand))
    .map(([name, demand]) => `${name}: ${String(demand)} (it has ${String(traits[name as keyof Requires] ?? false)})`);
}

function meets(traits: Traits, name: keyof Requires, demand: unknown): boolean {
  switch (name) {
    case 'scope':
      return scopes.indexOf(traits.scope) >= scopes.indexOf(demand as Traits['scope']);
    case 'fencing':
      return fencings.indexOf(traits.fencing) >= fencings.indexOf(demand as Traits['fencing']);
    case 'expiry':
      return traits.expiry === demand;
    case 'fair':
    case 'shared':
    case 'wake':
      return demand === false || traits[name];
    default:
      name satisfies never;
      return false;
  }
}

/** Throws `LOCK_MISCONFIGURED` unless `provider` has what the contract requires. */
export function checkProvider(provider: LockProvider): void {
  const methods = ['tryAcquire', 'renew', 'release', 'inspect', 'close'] as const;
  const isProvider =
    typeof provider?.traits === 'object' && methods.every((name) => typeof provider[name] === 'function');
  if (isProvider) return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    'createLocks needs a provider, such as createMemoryProvider(); for a URL or a configuration use openLocks.',
  );
}
