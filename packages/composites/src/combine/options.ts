import type { LockProvider } from '@locks/core';
import { duration, flag, misconfigured, oneOf, readOptions, systemRuntime } from '@locks/core/adapter';
import type { Duration, OptionReaders, OptionSource, Runtime } from '@locks/core/adapter';
import { runtimeReader } from '@locks/core/composite';

/** How many members of a composite must agree. */
export type Need = 'majority' | 'all';

/** Options of `combine`. */
export interface CombineOptions {
  /**
   * `majority`: a quorum, exclusive only. It continues while fewer than half of the members are
   * lost. `all`: also shared, but only while all members answer.
   * @default 'majority'
   */
  readonly need?: Need | undefined;
  /**
   * How long a call waits for one member, from 1 ms to 60 s; longer while that answers calls which
   * this process sent before. A slower member is still called, but not awaited, until it answers in
   * time again.
   * @default 500
   */
  readonly memberTimeout?: Duration | undefined;
  /**
   * Time limit of a call if too few members answer in time, from 10 ms to 10 min. Keep it above the
   * `timeout` of the members plus `memberTimeout`. With less, a member may grant a claim after the
   * call was rejected. The key is then busy until the member's answer arrives.
   * @default 6_000
   */
  readonly timeout?: Duration | undefined;
  /**
   * Whether tokens keep their order across members. A grant takes a second round trip if members
   * return different tokens. With `false` tokens are meaningless.
   * @default true
   */
  readonly fencing?: boolean | undefined;
  /** Clock, timers and randomness. @default those of the process */
  readonly runtime?: Runtime | undefined;
}

/** Where the options of `combine` come from, for messages. */
export const combineSource: OptionSource = { where: 'combine', code: 'LOCK_MISCONFIGURED', text: true };

/** How options of a configuration are checked. */
export const rulesReaders: OptionReaders<Omit<CombineOptions, 'runtime'>> = {
  need: oneOf('majority', 'all'),
  memberTimeout: duration(1, 60_000),
  timeout: duration(10, 600_000),
  fencing: flag,
};

const combineReaders: OptionReaders<CombineOptions> = { ...rulesReaders, runtime: runtimeReader };

/** The options with their defaults, for a number of members. */
export interface CombineRules {
  /** How many members must agree. */
  readonly need: number;
  readonly memberTimeout: number;
  readonly timeout: number;
  readonly fencing: boolean;
  readonly runtime: Runtime;
}

/**
 * Checks `options`.
 * @throws `LOCK_MISCONFIGURED` with the option, its value and what it must be.
 */
export function readCombineOptions(options: CombineOptions, members: number): CombineRules {
  const {
    need = 'majority',
    memberTimeout = 500,
    timeout = 6_000,
    fencing = true,
    runtime = systemRuntime,
  } = readOptions(combineReaders, options, combineSource);
  if (timeout <= memberTimeout) {
    throw misconfigured(
      combineSource.where,
      `option "timeout" (${timeout} ms) must be longer than "memberTimeout" (${memberTimeout} ms)`,
    );
  }
  const votes = need === 'all' ? members : Math.floor(members / 2) + 1;
  return { need: votes, memberTimeout, timeout, fencing, runtime };
}

/** @throws `LOCK_MISCONFIGURED` unless `members` are distinct providers. */
export function checkMembers(members: unknown): asserts members is readonly LockProvider[] {
  if (!Array.isArray(members) || members.length === 0) {
    throw misconfigured('combine', 'it needs an array of at least one provider: combine([first, second, third])');
  }
  for (const [index, member] of members.entries()) {
    const lacking = lackingMethod(member);
    if (lacking !== undefined) {
      throw misconfigured('combine', `member ${index + 1} is no provider: it has no ${lacking}()`);
    }
  }
  if (new Set(members).size < members.length) {
    throw misconfigured('combine', 'a provider is listed twice; each member needs its own store');
  }
}

/** The first method of a provider that `value` lacks. */
export function lackingMethod(value: unknown): string | undefined {
  const methods = ['tryAcquire', 'renew', 'release', 'inspect', 'close'] as const;
  return methods.find((name) => typeof (value as Partial<LockProvider> | null | undefined)?.[name] !== 'function');
}
