import type { Busy, Claim, Grant, LockProvider } from '../../contract.ts';
import { isPermanent, leavesNothing } from '../../errors/lock-error.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { tellClaim } from '../diagnostics/channels.ts';
import type { BackgroundReleases } from '../release/background-releases.ts';
import type { AcquisitionHost } from './acquisition-host.ts';

/** One claim, and what its attempts may have left in the store. */
export class SentClaim {
  readonly claim: Claim;
  #inFlight: Promise<Grant | Busy> | undefined = undefined;
  #lastSend = 0;
  #sentBefore = 0;
  /** The claim may have a position in the queue, or a hold whose grant was lost. */
  #leaves = false;
  /** An attempt was refused, perhaps half way. */
  #refused = false;
  #inQueue = false;
  #uncertain = false;
  #repeated = false;

  /** A claim on `key` by a new owner. `replaces`: the owner of the claim before it. */
  constructor(host: AcquisitionHost, settings: Settings, key: string, replaces?: string) {
    const { ttl: lease, lockDelay, atLeast, mode, permits, label } = settings;
    // The hold of a process that dies immediately.
    const ttl = Math.max(lease + lockDelay, atLeast);
    const owner = host.nextOwner(label);
    const claim: Claim = permits === undefined ? { key, owner, ttl, mode } : { key, owner, ttl, mode, permits };
    this.claim = ttl === lease ? claim : { ...claim, lease };
    tellClaim(host.provider.name, this.claim, replaces);
  }

  /** Its one grant with too little left was requested again. */
  get repeated(): boolean {
    return this.#repeated;
  }

  send(provider: LockProvider, wake: (() => void) | undefined, sentAt: number): Promise<Grant | Busy> {
    this.#sentBefore = this.#lastSend;
    this.#lastSend = sentAt;
    this.#inQueue ||= wake !== undefined;
    try {
      this.#inFlight = Promise.resolve(provider.tryAcquire(this.claim, wake));
    } catch (error) {
      this.#inFlight = Promise.reject(error);
    }
    return this.#inFlight;
  }

  busy(): void {
    this.#inFlight = undefined;
    this.#leaves ||= this.#inQueue;
  }

  rejected(error: unknown): void {
    this.#inFlight = undefined;
    if (leavesNothing(error)) {
      // Only an earlier attempt can have left something.
      this.#lastSend = this.#sentBefore;
    } else if (isPermanent(error)) {
      this.#refused = true;
    } else {
      this.#leaves = true;
      this.#uncertain = true;
    }
  }

  /** Its grant is requested again. */
  repeat(): void {
    this.#repeated = true;
    this.#leaves = true;
  }

  /** Releases its grant. Returns the next claim: a claim ends with the send of its release. */
  handBack(host: AcquisitionHost, settings: Settings): SentClaim {
    host.releases.start({ claim: this.claim, uncertain: false, lastSend: this.#lastSend });
    return new SentClaim(host, settings, this.claim.key, this.claim.owner);
  }

  /** Releases what it may have in the store, after an attempt in progress. */
  giveUp(releases: BackgroundReleases): void {
    const left = this.#leaves || this.#refused;
    if (!left && this.#inFlight === undefined) return;
    releases.start({
      claim: this.claim,
      inFlight: this.#inFlight,
      left,
      onlyRefused: !this.#leaves,
      uncertain: this.#uncertain,
      inQueue: this.#inQueue,
      lastSend: this.#lastSend,
    });
  }
}
