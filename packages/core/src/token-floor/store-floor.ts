import type { LockProvider } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { settledWithin } from '../time/settled-within.ts';
import type { Runtime } from '../time/runtime.ts';
import { floorAt, higher, lineText, lineThrough, readLine } from './floor-line.ts';
import type { TokenFloor } from './floor-line.ts';

/**
 * The store is asked again after so many ms, and a floor lasts for twice as long without an answer.
 * For so long a process may not know that others have raised it: as if clocks differed by that.
 */
const lasting = 2_000;
/** A store that is silent for so many ms has not answered. */
const patience = 5_000;

/** The register of a store that has the floor of its tokens. All migrations have it together. */
export const floorRegister = 'token-floor';

/** Where a store keeps a floor for all of its clients. */
export interface FloorRegister {
  /** The store. */
  readonly provider: LockProvider;
  /** The register's name. */
  readonly name: string;
}

/** What a floor begins with. */
export interface FloorOptions {
  /** Of an operator: a constant, or a point of a line. @default none */
  readonly given?: bigint | TokenFloor | undefined;
  /** Copies of its register, in other stores. @default none */
  readonly copies?: readonly FloorRegister[];
}

/** What all tokens of a store exceed. */
export class StoreFloor {
  readonly #provider: LockProvider;
  readonly #runtime: Runtime;
  readonly #copies: readonly FloorRegister[];
  #given: FloorOptions['given'];
  #line: bigint | undefined;
  /** How far the store's clock is above that of this process, in ms. */
  #ahead = 0;
  #readAt = -Infinity;
  /** Under way: of its own register, and also of copies. */
  readonly #reading: { own?: Promise<void> | undefined; all?: Promise<void> | undefined } = {};

  constructor(provider: LockProvider, runtime: Runtime, { given, copies = [] }: FloorOptions) {
    this.#provider = provider;
    this.#runtime = runtime;
    this.#copies = copies;
    this.#given = given;
    this.#line = typeof given === 'object' ? lineThrough(given.token, given.at) : undefined;
  }

  /** Its tokens begin at its clock. Other stores keep their counters, and a constant floor. */
  get runs(): boolean {
    const { time, traits } = this.#provider;
    if (typeof this.#given === 'bigint') return false;
    return time !== undefined && traits.expiry === 'ttl' && traits.fencing === 'clock-bounded';
  }

  /** The store's clock, in ms. */
  get time(): number {
    return this.#runtime.clock.now() + this.#ahead;
  }

  /**
   * Resolves when the floor is known. `undefined`: it is. `copies`: also from where copies of it
   * are. Rejects where a store does not answer: a claim without its floor must not be sent.
   */
  ready(copies = false): Promise<void> | undefined {
    if (!this.runs) return undefined;
    const age = this.#runtime.clock.now() - this.#readAt;
    if (age <= lasting) return undefined;
    const reading = this.read(copies);
    if (age > 2 * lasting) return reading;
    reading.catch(() => {});
    return undefined;
  }

  /** Asks the store again. */
  read(copies = false): Promise<void> {
    const which = copies ? 'all' : 'own';
    return (this.#reading[which] ??= this.#within(this.#read(copies)).finally(
      () => (this.#reading[which] = undefined),
    ));
  }

  /** The floor of a claim that is sent now. `undefined`: none is needed. */
  now(): bigint | undefined {
    if (!this.runs) return typeof this.#given === 'object' ? this.#given.token : this.#given;
    if (this.#line === undefined) return undefined;
    const floor = floorAt(this.#line, this.time);
    return floor > this.clockToken ? floor : undefined;
  }

  /** Where tokens without a floor begin. */
  get clockToken(): bigint {
    return BigInt(Math.ceil(this.time)) * 1_000n;
  }

  /**
   * From now on tokens exceed `token`, through each client that reads the register. `copies`: also
   * writes those.
   */
  async raise(token: bigint, copies: boolean): Promise<void> {
    if (!this.runs) {
      this.#given = higher(this.now(), token);
      return;
    }
    await this.read();
    this.#line = higher(this.#line, lineThrough(token, this.time));
    await this.#within(this.#agree(copies));
  }

  async #read(copies: boolean): Promise<void> {
    const { clock } = this.#runtime;
    const sentAt = clock.now();
    const time = (await this.#provider.time?.()) ?? 0;
    const now = clock.now();
    this.#ahead = time - (sentAt + now) / 2;
    await this.#agree(copies);
    this.#readAt = now;
  }

  /** Gives registers the higher line. One that lost its own gets it back so. */
  async #agree(copies: boolean): Promise<void> {
    const own = { provider: this.#provider, name: floorRegister };
    for (const { provider, name } of copies ? [own, ...this.#copies] : [own]) {
      if (provider.register === undefined) continue;
      let text = await provider.register(name);
      for (;;) {
        const found = readLine(text);
        this.#line = higher(this.#line, found);
        if (this.#line === undefined || this.#line === found) break;
        const change = { from: text, to: lineText(this.#line, this.time) };
        text = await provider.register(name, change);
        if (text === change.to) break;
      }
    }
  }

  async #within(work: Promise<void>): Promise<void> {
    let error: unknown = new Error('it was silent');
    const done = work.then(
      () => (error = undefined),
      (reason: unknown) => (error = reason),
    );
    await settledWithin(this.#runtime, patience, done);
    if (error === undefined) return;
    const why = error instanceof Error ? error.message : 'see the cause';
    const message = `${this.#provider.name} did not tell its clock and its token floor: ${why}`;
    const code = isLockError(error) ? error.code : 'LOCK_UNAVAILABLE';
    throw new LockError(code, message, { cause: error, sent: false });
  }
}
