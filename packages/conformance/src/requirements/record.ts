import assert from 'node:assert/strict';
import type { LockProvider } from '@locks/core';
import { recordStoreOf } from '@locks/core/adapter';
import type { ReadRecord, RecordStore, StoredRecord } from '@locks/core/adapter';
import type { Context } from '../context/context.ts';
import { show } from '../checks/expect.ts';
import { now, sleep, turn } from '../checks/time.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';
import { pick, range } from './steps.ts';

/** The bytes of the text of a key with 2 000 waiting claims, the most that core allows. */
const longest = 128_000;
/** How long the clock is observed, in ms. With less, longer steps may be missed. */
const lookedAt = 300;
/** The longest step of a clock, in ms. With more, a hold ends too early or too late. */
const longestStep = 20;

/**
 * What core builds on, in the order of the rules of docs/write-a-provider.md. If one of them is
 * violated, most other requirements fail for reasons that do not name it.
 */
export const recordRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'record',
  when: ['record'],
})({
  'record-compare-and-set': {
    title: 'replace writes if and only if the version is the one that was seen; read returns what was written',
    async check(context, one, two) {
      const [key, stores] = [keyOf(context), [storeOf(one), storeOf(two)]] as const;
      const mustRead = async (expected: Pick<ReadRecord, 'version' | 'record'>, when: string): Promise<void> => {
        for (const store of stores) {
          const { version, record } = await store.read(key);
          const seen = `expected read to give ${show(expected)} ${when}, got ${show({ version, record })}`;
          assert.deepEqual({ version, record }, expected, seen);
        }
      };
      const nothing = { version: undefined, record: undefined };
      await mustRead(nothing, 'for a key without a text');
      // It may also reject: core asks for that only where a store has dropped a text.
      const refused = await replace(pick(stores, 0), key, 'none', textOf(context)).catch(() => undefined);
      assert.equal(refused, undefined, 'expected replace to return false where there is no text yet, and one was seen');
      await mustRead(nothing, 'after replace had returned false');
      let seen: string | undefined;
      // The last two have one text: their versions differ nevertheless.
      const texts = [textOf(context), textOf(context, 'Ä\u20ac\u{1f512}\\"\' '), textOf(context), textOf(context)];
      for (const [index, text] of texts.entries()) {
        const version = await replace(pick(stores, index), key, seen, text);
        assert.ok(version !== undefined, `expected replace of ${show(seen)} to return true or a version, got false`);
        assert.notEqual(version, seen, 'expected each write to change the version, also where the text stays the same');
        for (const stale of new Set([undefined, seen])) {
          const again = await replace(pick(stores, index + 1), key, stale, textOf(context));
          assert.equal(again, undefined, `expected replace of ${show(stale)} to return false, now it is ${version}`);
        }
        await mustRead({ version, record: text.record }, 'after replace had answered that it is written');
        seen = version;
      }
    },
  },
  'record-one-wins': {
    title: 'of many simultaneous calls of replace that saw one version, one returns true, and its text is stored',
    async check(context, one, two) {
      const [key, stores] = [keyOf(context), [storeOf(one), storeOf(two)]] as const;
      let seen: string | undefined;
      for (const round of range(10)) {
        const calls = range(10).map(async (index) => {
          for (let turns = index % 3; turns > 0; turns -= 1) await turn();
          const text = textOf(context);
          const version = await replace(pick(stores, index), key, seen, text);
          return version === undefined ? [] : [{ version, record: text.record }];
        });
        const won = (await Promise.all(calls)).flat();
        const message = `expected replace to compare and set atomically: ${won.length} of ten simultaneous calls returned true`;
        assert.equal(won.length, 1, message);
        const { version, record } = await pick(stores, round).read(key);
        assert.deepEqual({ version, record }, won[0], 'expected the text of the one that was returned true');
        seen = version;
      }
    },
  },
  'record-long-text': {
    title: `a text of ${longest} bytes is returned whole: this many claims may wait for a key`,
    async check(context, one, two) {
      const key = keyOf(context);
      const text = textOf(context, 'x'.repeat(longest));
      const version = await replace(storeOf(one), key, undefined, text);
      const { record = '' } = await storeOf(two).read(key);
      // Its size is what the next read and the next write cost.
      await replace(storeOf(one), key, version, textOf(context));
      const seen = `expected the text of ${text.record.length} bytes, got ${record.length}`;
      assert.ok(record === text.record, `${seen}${record.length === text.record.length ? ' others' : ''}`);
    },
  },
  'record-clock': {
    title: `now is in ms, has steps of ${longestStep} ms at most, and is the same for all`,
    when: ['record', 'store-expires'],
    async check(context, one, two) {
      const key = keyOf(context);
      const begun = now();
      // How far the clock is ahead of that of this process: at least the first, at most the second.
      let [more, less] = [-Infinity, Infinity];
      let first: number | undefined;
      while (now() - begun < lookedAt) {
        for (const provider of [one, two]) {
          const sentAt = now();
          const { now: told } = await storeOf(provider).read(key);
          assert.ok(Number.isFinite(told), `expected a number of ms as now (or expiry: 'observed'), got ${show(told)}`);
          [more, less] = [Math.max(more, Number(told) - now()), Math.min(less, Number(told) - sentAt)];
          first ??= told;
        }
        await sleep(1);
      }
      const { now: last } = await storeOf(one).read(key);
      const moved = `in ${Math.round(now() - begun)} ms it moved by ${Number(last) - Number(first)}`;
      const off = `and was up to ${Math.round(more - less)} off`;
      assert.ok(
        more - less <= longestStep,
        `expected now in ms, with steps of ${longestStep} at most; ${moved}, ${off}`,
      );
    },
  },
  'record-watch': {
    title: 'watch, if present, signals a replace while claims wait, and nothing after its end',
    async check(context, one, two) {
      const [key, watching, writing] = [keyOf(context), storeOf(one), storeOf(two)] as const;
      let signals = 0;
      const end = await watching.watch?.(
        key,
        () => (signals += 1),
        () => {},
      );
      if (end === undefined || watching.process !== undefined) return end?.();
      let seen = await replace(writing, key, undefined, textOf(context));
      await context.eventually('a signal after a replace with waited: true', () => signals > 0);
      end();
      // Messages on their way may still arrive.
      await sleep(context.ttl / 4);
      signals = 0;
      for (const _ of range(3)) seen = await replace(writing, key, seen, textOf(context));
      await sleep(context.ttl / 4);
      assert.equal(signals, 0, `expected no signal after watch was ended, got ${signals}`);
    },
  },
});

function storeOf(provider: LockProvider): RecordStore {
  const store = recordStoreOf(provider);
  assert.ok(store !== undefined, 'expected each provider to be one of createRecordProvider');
  return store;
}

function keyOf(context: Context): string {
  return `key:${context.key()}`;
}

/** A text of an unused key. `more` does not change its meaning. */
function textOf(context: Context, more = ''): StoredRecord {
  const record = JSON.stringify([1, 1, [more], [], [], []]);
  return { version: context.unique().slice(-40), record, keepFor: context.longTtl };
}

/** The version of `next` in the store. `undefined`: it was not written. */
async function replace(
  store: RecordStore,
  key: string,
  seen: string | undefined,
  next: StoredRecord,
): Promise<string | undefined> {
  const answer = await store.replace(key, seen, next, true, [], 5_000);
  const sound = typeof answer === 'boolean' || typeof answer === 'string';
  assert.ok(sound, `expected replace to return true, false or a version, got ${show(answer)}`);
  return answer === true ? next.version : answer === false ? undefined : answer;
}
