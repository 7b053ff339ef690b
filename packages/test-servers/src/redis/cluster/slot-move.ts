import type { ServerHandle } from '../../server/handle.ts';
import { redisCommand } from '../command.ts';

/** A slot on its way from one master to another. */
export interface SlotMove {
  readonly slot: number;
  readonly from: ServerHandle;
  readonly to: ServerHandle;
  /**
   * Moves all its keys, or `count` of them. Resolves to the number of moved keys. New keys are
   * created at the target already.
   */
  moveKeys(count?: number): Promise<number>;
  /** Gives the slot to the target. Resolves when all nodes know it. */
  end(): Promise<void>;
  /** Cancels the move. Keys that were moved stay where they are. */
  cancel(): Promise<void>;
}

/** The nodes of a move. */
export interface SlotMoveParts {
  readonly slot: number;
  readonly from: ServerHandle;
  readonly to: ServerHandle;
  readonly idOf: (node: ServerHandle) => string;
  readonly masters: readonly ServerHandle[];
  /** Resolves when all nodes agree that `to` has the slot. */
  readonly agreed: () => Promise<void>;
}

/** Begins a move: the source sends clients that ask for an absent key to the target. */
export async function beginSlotMove(parts: SlotMoveParts): Promise<SlotMove> {
  const { slot, from, to, idOf, masters, agreed } = parts;
  const setSlot = (node: ServerHandle, ...state: readonly string[]): Promise<unknown> =>
    redisCommand(node, 'CLUSTER', 'SETSLOT', slot, ...state);
  await setSlot(to, 'IMPORTING', idOf(from));
  await setSlot(from, 'MIGRATING', idOf(to));
  return {
    slot,
    from,
    to,
    async moveKeys(count = 10_000) {
      const keys = (await redisCommand(from, 'CLUSTER', 'GETKEYSINSLOT', slot, count)) as readonly string[];
      if (keys.length > 0) await redisCommand(from, 'MIGRATE', to.host, to.port, '', 0, 1_000, 'KEYS', ...keys);
      return keys.length;
    },
    async end() {
      // The target first: a slot without an owner would be refused by all.
      await setSlot(to, 'NODE', idOf(to));
      await setSlot(from, 'NODE', idOf(to));
      for (const node of masters) if (node !== from && node !== to) await setSlot(node, 'NODE', idOf(to));
      await agreed();
    },
    async cancel() {
      await setSlot(from, 'STABLE');
      await setSlot(to, 'STABLE');
    },
  };
}
