import { mint, raiseFor } from '../../../src/tokens/base.ts';
import type { Base, Headroom, Minted, TokenRequest } from '../../../src/tokens/base.ts';

/** How a client comes to its token: as this package does it, or broken in one way. */
export interface Rules {
  mint(request: TokenRequest, base: Base, listedAt: bigint): Minted;
  raiseFor(token: bigint, order: bigint, base: Base): bigint | undefined;
  /**
   * `once`: read when its node is made, and not again before it raises it itself. `late`: the
   * watch's event comes at any time after the replies that follow it.
   */
  readonly reading: 'watched' | 'once' | 'late';
  readonly compareAndSet: boolean;
  /** The base is below the node of the key, and goes with its last child. */
  readonly baseInParent: boolean;
}

// No more than needed, so that few transactions suffice to go wrong.
const none: Headroom = { clock: 0n, transactions: 8n };

export const production: Rules = {
  mint: (request, base, listedAt) => mint(request, base, listedAt, none),
  raiseFor: (token, order, base) => raiseFor(token, order, base, none),
  reading: 'watched',
  compareAndSet: true,
  baseInParent: false,
};

export const broken = {
  'the base is read before the wait': { ...production, reading: 'once' },
  'the base is kept without regard to the order of its event and the replies': { ...production, reading: 'late' },
  'the base is raised without compare-and-set': { ...production, compareAndSet: false },
  'the base goes with the parent of the contenders': { ...production, baseInParent: true },
  'the base may be newer than the list': {
    ...production,
    mint: (request, base) => mint(request, base, base.mzxid > request.order ? base.mzxid : request.order, none),
  },
  'sharers from before a raise take their token as it comes': {
    ...production,
    mint: (request, base, listedAt) => mint({ ...request, mode: 'exclusive' }, base, listedAt, none),
  },
  'who was there before a raise takes the transaction of a write of its own': {
    ...production,
    // The later of the two is what the list is known to show.
    mint: (request, base, listedAt) => mint({ ...request, mode: 'exclusive', order: listedAt }, base, listedAt, none),
  },
  'the floor is not looked at': {
    ...production,
    mint: (request, base, listedAt) => mint({ ...request, floor: undefined }, base, listedAt, none),
  },
  'a later token is not made known': { ...production, raiseFor: () => undefined },
} as const satisfies Readonly<Record<string, Rules>>;
