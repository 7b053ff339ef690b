/** All that is no number, as numbers. */
const codes = new Map<unknown, number>();

function codeOf(value: unknown): number {
  let known = codes.get(value);
  if (known === undefined) {
    known = codes.size + (1 << 30);
    codes.set(value, known);
  }
  return known;
}

/** Mixes a state into 64 bits, in two halves. */
export class StateHash {
  low = 0;
  high = 0;

  start(): void {
    this.low = 0x2545f491;
    this.high = 0x1b873593;
  }

  add(value: number): void {
    let low = Math.imul(this.low ^ value, 0xcc9e2d51);
    low = Math.imul((low << 15) | (low >>> 17), 0x1b873593);
    const high = Math.imul(this.high + value, 0x85ebca6b) ^ low;
    this.low = (low ^ (low >>> 13)) | 0;
    this.high = Math.imul((high << 13) | (high >>> 19), 0xc2b2ae35) ^ (high >>> 16);
  }

  /**
   * Adds a plain value. The members of a `Set` have no order, and properties without a value count
   * as absent. Objects that are the same must have their properties in the same order.
   */
  plain(value: unknown): void {
    if (typeof value === 'number') this.add(value);
    else if (typeof value !== 'object' || value === null) this.add(codeOf(value));
    else if (Array.isArray(value)) {
      this.add(value.length);
      for (let index = 0; index < value.length; index += 1) this.plain(value[index]);
    } else if (value instanceof Set) this.#unordered(value);
    else {
      for (const name in value) {
        const each = (value as Readonly<Record<string, unknown>>)[name];
        if (each === undefined) continue;
        this.add(codeOf(name));
        this.plain(each);
      }
      this.add(codeOf('}'));
    }
  }

  #unordered(members: ReadonlySet<unknown>): void {
    const { low: lowBefore, high: highBefore } = this;
    let low = 0;
    let high = 0;
    for (const member of members) {
      this.start();
      this.plain(member);
      low = (low + this.low) | 0;
      high = (high + this.high) | 0;
    }
    this.low = lowBefore;
    this.high = highBefore;
    this.add(low);
    this.add(high);
  }
}

/**
 * The states that were seen, by hash. Two states with one hash count as one. With 20 million states
 * a search misses one of them with a probability of 1 in 100 000.
 */
export class StateTable {
  size = 0;
  #capacity = 1 << 16;
  #low = new Int32Array(this.#capacity);
  #high = new Int32Array(this.#capacity);
  /** The number of the state, plus 1. 0: free. */
  #numbers = new Uint32Array(this.#capacity);

  /** The number of the state. A state that was not seen before gets the next number: `size` - 1. */
  numberOf(low: number, high: number): number {
    if (this.size * 2 > this.#capacity) this.#grow();
    const slot = this.#slotOf(low, high);
    const known = this.#numbers[slot] as number;
    if (known > 0) return known - 1;
    this.#put(slot, low, high, this.size);
    this.size += 1;
    return this.size - 1;
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#capacity - 1;
    let slot = (low ^ (high >>> 7)) & mask;
    while (this.#numbers[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #put(slot: number, low: number, high: number, number: number): void {
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#numbers[slot] = number + 1;
  }

  #grow(): void {
    const old = { low: this.#low, high: this.#high, numbers: this.#numbers };
    this.#capacity *= 2;
    this.#low = new Int32Array(this.#capacity);
    this.#high = new Int32Array(this.#capacity);
    this.#numbers = new Uint32Array(this.#capacity);
    old.numbers.forEach((number, slot) => {
      if (number === 0) return;
      const low = old.low[slot] as number;
      const high = old.high[slot] as number;
      this.#put(this.#slotOf(low, high), low, high, number - 1);
    });
  }
}

/** A list of numbers below 2^32 that grows. */
export class Numbers {
  length = 0;
  #values = new Uint32Array(1 << 12);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.#values[index] as number;
  }
}
