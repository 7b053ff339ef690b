import type { LockProvider } from '../contract.ts';
import { LockError } from '../errors/lock-error.ts';
import type { OptionReader } from './option-reader.ts';
import { parseDuration } from './duration.ts';

/**
 * How often, and for how long, claims of one process pass a key on before another process has its
 * turn.
 */
export interface LocalHandOff {
  /** A hold of the store is handed on so many times at most, from 1 to 1 000. */
  readonly count: number;
  /** It is handed on within so many ms of its grant, and not later, from 1 to 10 000. */
  readonly ms: number;
}

const mostHandOffs = 1_000;
const longestTime = 10_000;

/** Reads text as `16 in 5ms`. */
export const localHandOff: OptionReader<LocalHandOff> = {
  expects: `an object { count, ms }: integers from 1 to ${mostHandOffs}, and from 1 to ${longestTime}`,
  example: '"16 in 5ms"',
  accepts: (value): value is LocalHandOff => {
    if (typeof value !== 'object' || value === null) return false;
    const { count, ms, ...others } = value as { readonly [Name in keyof LocalHandOff]?: unknown };
    return isWithin(count, mostHandOffs) && isWithin(ms, longestTime) && Object.keys(others).length === 0;
  },
  parse: (text) => {
    const [, count, time = ''] = /^(\d{1,4}) in (\S+)$/.exec(text) ?? [];
    return count === undefined ? undefined : { count: Number(count), ms: parseDuration(time) ?? 0 };
  },
};

function isWithin(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

/**
 * Throws `LOCK_MISCONFIGURED` where a hold ends with its session: there tokens are transactions of
 * the store, which cannot be reserved cheaply, and guards ask for the claim that the store knows.
 */
export function mustHandOff({ name, traits }: Pick<LockProvider, 'name' | 'traits'>): void {
  if (traits.expiry === 'ttl') return;
  throw new LockError(
    'LOCK_MISCONFIGURED',
    `Option "localHandOff" needs a provider with expiry: "ttl", and ${name} has expiry: "session": its tokens cannot be reserved in advance. Leave the option out, or choose another provider.`,
  );
}
