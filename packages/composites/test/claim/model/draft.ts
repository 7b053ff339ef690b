import type { Setting } from './setting.ts';
import type { Contender, Faults, Lease, Owner, Store, World } from './world.ts';

/** The next state, while it is made: what does not change is shared with the state before. */
export class Draft {
  readonly setting: Setting;
  readonly now: number;
  readonly #contenders: Contender[];
  readonly #stores: Store[];
  #changed = 0;
  #faults: Faults;
  #highest: bigint;
  #minted: bigint;
  #problem: string | undefined;

  constructor(setting: Setting, world: World, now: number = world.now) {
    this.setting = setting;
    this.now = now;

    this.#contenders = [...world.contenders];
    this.#stores = [...world.stores];
    this.#faults = world.faults;
    this.#highest = world.highest;
    this.#minted = world.minted;
    this.#problem = world.problem;
  }

  contender(index: number): Contender {
    return this.#contenders[index] as Contender;
  }

  store(index: number): Store {
    return this.#stores[index] as Store;
  }

  /** Whether this draft has changed the contender. */
  isChanged(index: number): boolean {
    return (this.#changed & (1 << index)) !== 0;
  }

  change(index: number, changes: Partial<Contender>): void {
    if (!this.isChanged(index)) this.#contenders[index] = { ...this.contender(index) };
    this.#changed |= 1 << index;
    Object.assign(this.contender(index), changes);
  }

  changeStore(index: number, changes: Partial<Store>): void {
    this.#stores[index] = { ...this.store(index), ...changes };
  }

  /** A look may still see a holder. */
  get hasLooks(): boolean {
    return this.#faults.looks > 0;
  }

  /** One fault less is left. */
  spend(fault: keyof Faults): void {
    this.#faults = { ...this.#faults, [fault]: this.#faults[fault] - 1 };
  }

  /** The first problem counts. */
  blame(problem: string): void {
    this.#problem ??= problem;
  }

  /** A token above all others. */
  mint(): bigint {
    this.#minted += 1n;
    return this.#minted;
  }

  /** Whether the lease is valid at this moment. */
  isValid(lease: Lease | undefined): boolean {
    return lease !== undefined && this.now < lease.until - this.setting.margin * this.setting.tick;
  }

  /** A contender has a lease. */
  granted(index: number, lease: Lease): void {
    this.change(index, { stage: 'held', lease });
    if (!this.isValid(lease)) return;
    if (this.setting.fencing && lease.token <= this.#highest) {
      this.blame(`token ${lease.token} is granted after ${this.#highest}`);
    }
    if (lease.token > this.#highest) this.#highest = lease.token;
    this.checkHolders();
  }

  checkHolders(): void {
    const holders = this.#contenders.flatMap(({ lease }, index) => (this.isValid(lease) ? [name(index)] : []));
    if (holders.length > 1) this.blame(`${holders.join(' and ')} hold at once`);
  }

  done(): World {
    return {
      now: this.now,
      contenders: this.#contenders,
      stores: this.#stores,
      faults: this.#faults,
      highest: this.#highest,
      minted: this.#minted,
      problem: this.#problem,
    };
  }
}

/** A contender, for people. */
export function name(contender: number): string {
  return String.fromCodePoint(65 + contender);
}

export function isOwner(owner: Owner | undefined, contender: number, number: number): boolean {
  return owner !== undefined && owner.contender === contender && owner.number === number;
}
