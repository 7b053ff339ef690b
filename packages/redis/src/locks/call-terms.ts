import type { Claim } from '@locks/core';
import type { ReadRedisOptions } from '../options/options.ts';
import type { KeyNames } from './keys.ts';

/** What all calls of a provider have in common. */
export interface CallTerms {
  readonly options: ReadRedisOptions;
  readonly names: KeyNames;
  /** As the scripts read it: see `lua/queue.lua`. */
  readonly text: string;
  /** The same for a claim that takes a place in line. */
  readonly textInLine: string;
  /** What a line calls the claim: its kind, its process and its owner. */
  readonly waiterOf: (claim: Claim) => string;
}

/** `process` is what the store calls this process: its part of the name of the wake channel. */
export function createTerms(options: ReadRedisOptions, names: KeyNames, process: string): CallTerms {
  const { waiterTtl, fair, channelPrefix } = options;
  const text = (inLine: 0 | 1): string => `${waiterTtl} ${inLine} ${fair ? 0 : 1} ${process} ${channelPrefix}`;
  const waiterOf = (claim: Claim): string => `${kindOf(claim)} ${process} ${claim.owner}`;
  return { options, names, text: text(0), textInLine: text(1), waiterOf };
}

/** The first part of the name that a line has for the claim. */
export function kindOf({ mode, permits }: Claim): string {
  return mode === 'exclusive' ? 'x' : `s${permits ?? '*'}`;
}
