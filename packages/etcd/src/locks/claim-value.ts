import type { Claim, Mode } from '@locks/core';

/** What etcd keeps of a claim, as JSON. */
export interface ClaimValue {
  readonly mode: Mode;
  readonly permits?: number | undefined;
  /** Of the hold, in ms. Absent: the claim waits in the queue. */
  readonly ttl?: number | undefined;
  /** As text. Absent: `base` and the revision of the write that granted. */
  readonly token?: string | undefined;
  /** As text. Absent: 0. */
  readonly base?: string | undefined;
}

/** The value of a hold has this, and perhaps its token. */
export type Held = Pick<Claim, 'ttl'> & Pick<ClaimValue, 'mode' | 'permits'>;

/**
 * Of a claim that waits. `held`: of a hold, with its token, or with what the revision of this write
 * is added to.
 */
export function writeValue(
  { mode, permits }: Omit<Held, 'ttl'>,
  held?: Pick<ClaimValue, 'ttl' | 'token' | 'base'>,
): Buffer {
  return Buffer.from(JSON.stringify({ mode, permits, ...held } satisfies ClaimValue));
}

/** Reads what `writeValue` has written. `undefined`: another program or version wrote it. */
export function readValue(bytes: Buffer): ClaimValue | undefined {
  try {
    const value = JSON.parse(bytes.toString()) as Partial<ClaimValue> | null;
    const { mode, permits, ttl, token = '0', base = '0' } = value ?? {};
    const modes: readonly unknown[] = ['exclusive', 'shared'];
    const numbers = [permits, ttl].every((one) => one === undefined || typeof one === 'number');
    return modes.includes(mode) && numbers && digits.test(token) && digits.test(base)
      ? (value as ClaimValue)
      : undefined;
  } catch {
    return undefined;
  }
}

const digits = /^\d{1,19}$/;
