import { KeyChannel } from './key-channel.ts';
import type { ChannelParts } from './key-step.ts';
import type { RecordStore } from './record-store.ts';

/** The most states of recently used keys that are kept. More cost memory. */
const kept = 1_000;

export class KeyChannels {
  readonly #store: RecordStore;
  readonly #parts: ChannelParts;
  readonly #poll: number;
  readonly #byKey = new Map<string, KeyChannel>();

  constructor(store: RecordStore, parts: ChannelParts, poll: number) {
    this.#store = store;
    this.#parts = parts;
    this.#poll = poll;
  }

  of(key: string): KeyChannel {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const channel = new KeyChannel(key, this.#store, this.#parts, this.#poll);
    this.#byKey.set(key, channel);
    if (this.#byKey.size > kept) this.#forget(channel);
    return channel;
  }

  close(): void {
    for (const channel of this.#byKey.values()) channel.close();
  }

  #forget(made: KeyChannel): void {
    for (const [key, channel] of this.#byKey) {
      if (channel === made || !channel.idle) continue;
      this.#byKey.delete(key);
      if (this.#byKey.size <= kept) break;
    }
  }
}
