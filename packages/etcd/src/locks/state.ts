import type { Holder, KeyState, RegisterChange } from '@locks/core';
import { checkRegister } from '@locks/core/adapter';
import type { Members } from '../connection/members.ts';
import { leaseTimeToLive, range, txn } from '../wire/calls.ts';
import { isAt, isHeld, tokenOf } from './algorithm.ts';
import type { Parts } from './parts.ts';
import { readEntry, readsOfAll } from './queue.ts';
import type { Entry } from './queue.ts';

/** The most waiters that are listed, as in the contract. */
const mostShown = 100;

/** The contract's `inspect`. */
export async function inspect(parts: Parts, key: string): Promise<KeyState> {
  const reads = readsOfAll(parts.keys, key);
  const { responses } = await parts.members.call(
    txn,
    { compare: [], success: reads, failure: [] },
    'an inspection of a key',
    {
      repeats: true,
    },
  );
  const found = (responses[1]?.responseRange?.kvs ?? []).flatMap((kv) => readEntry(kv, parts.keys) ?? []);
  const held = found.filter(isHeld);
  const waiting = found.slice(held.length);
  const holders = await Promise.all(held.map((entry) => holderOf(parts.members, entry)));
  const first = waiting.slice(0, mostShown).map(({ owner, mode, permits }) => ({
    owner,
    mode,
    ...(permits !== undefined && { permits }),
  }));
  return { key, holders: holders.flat(), waiters: waiting.length, ...(first.length > 0 && { queue: first }) };
}

/** None if the hold has ended in the meantime. */
async function holderOf(members: Members, entry: Entry): Promise<readonly Holder[]> {
  const { TTL } = await members.call(leaseTimeToLive, { ID: entry.lease }, 'a read of a lease', { repeats: true });
  const seconds = Number(TTL);
  if (seconds < 0) return [];
  // Whole seconds, rounded down. The lease may be longer than the ttl.
  const remaining = Math.min(entry.ttl ?? 0, Math.max(1, seconds * 1_000));
  const { owner, mode, permits } = entry;
  return [{ owner, mode, ...(permits !== undefined && { permits }), token: tokenOf(entry), remaining }];
}

/** How many claims are read at once. */
const page = 1_000;

/** The contract's `list`. */
export async function* list({ members, keys }: Parts, prefix: string): AsyncIterable<string> {
  const { rangeEnd, ...all } = keys.queues(prefix);
  let from = all.key;
  let latest: string | undefined;
  for (;;) {
    const request = { key: from, rangeEnd, limit: page };
    const { kvs, more } = await members.call(range, request, 'a list of keys', { repeats: true });
    for (const kv of kvs) {
      const key = readEntry(kv, keys) && keys.readClaim(kv.key)?.key;
      if (key === undefined || key === latest) continue;
      yield key;
      latest = key;
    }
    const last = kvs.at(-1);
    if (!more || last === undefined) return;
    from = Buffer.concat([last.key, Buffer.of(0)]);
  }
}

/** The contract's `register`. */
export async function register(
  { members, keys }: Parts,
  name: string,
  change: RegisterChange | undefined,
): Promise<string | undefined> {
  checkRegister(name, change);
  const key = keys.register(name);
  const look = { requestRange: { key } };
  const { succeeded, responses } = await members.call(
    txn,
    {
      compare:
        change?.from === undefined ? [isAt(key, 0n)] : [{ key, target: 3, result: 0, value: Buffer.from(change.from) }],
      success:
        change === undefined
          ? [look]
          : [
              change.to === undefined
                ? { requestDeleteRange: { key } }
                : { requestPut: { key, value: Buffer.from(change.to) } },
            ],
      failure: [look],
    },
    'a register',
  );
  if (succeeded && change !== undefined) return change.to;
  return responses[0]?.responseRange?.kvs[0]?.value.toString();
}
