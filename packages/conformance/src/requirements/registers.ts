import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isLockError } from '@locks/core';
import type { LockProvider, RegisterChange } from '@locks/core';
import type { Context } from '../context/context.ts';
import { mustFree, mustGrant, show } from '../checks/expect.ts';
import { eventually, sleep } from '../checks/time.ts';
import type { Requirement } from '../requirement.ts';
import { rules } from './rules.ts';
import { pick, range } from './steps.ts';

type Registers = Pick<Required<LockProvider>, 'register'>;

/** Short texts that the store keeps apart from all keys. */
export const registersRequirements: readonly Requirement[] = rules({
  level: 'provider',
  about: 'register',
  when: ['register'],
})({
  'register-compare-and-set': {
    title: 'a register has no text at first, and changes if its text is the expected one; a repeat finds it changed',
    check: async (context) =>
      await withRegisters(context, async ([one, two], name) => {
        const none = undefined;
        const steps: readonly (readonly [change: RegisterChange | undefined, text: string | undefined])[] = [
          [none, none],
          [{ from: 'a', to: 'b' }, none],
          [{ from: none, to: none }, none],
          [{ from: none, to: 'a' }, 'a'],
          [{ from: none, to: 'a' }, 'a'],
          [{ from: none, to: 'b' }, 'a'],
          [{ from: 'b', to: 'c' }, 'a'],
          [{ from: 'b', to: none }, 'a'],
          [{ from: 'A', to: 'c' }, 'a'],
          [{ from: 'a', to: 'a' }, 'a'],
          [{ from: 'a', to: 'b' }, 'b'],
          [{ from: 'a', to: 'b' }, 'b'],
          [{ from: 'b', to: none }, none],
          [{ from: 'b', to: none }, none],
          [{ from: 'b', to: 'c' }, none],
          [{ from: none, to: 'b' }, 'b'],
        ];
        for (const [index, [change, text]] of steps.entries()) {
          const when = `for ${show(change ?? 'a read')}, step ${index}`;
          mustHave(await pick([one, two], index).register(name, change), text, when);
          mustHave(await pick([two, one], index).register(name), text, `after that, ${when}`);
        }
      }),
  },
  'register-one-wins': {
    title: 'of many simultaneous changes of a register one is made, and all calls return which; no change is lost',
    check: async (context) =>
      await withRegisters(context, async (providers, name) => {
        for (const round of range(5)) {
          const texts = range(12).map((index) => `${round}.${index}`);
          const answers = await Promise.all(
            texts.map((to, index) => pick(providers, index).register(name, { from: undefined, to })),
          );
          const [first] = answers;
          const seen = `round ${round}, got ${show(answers)}`;
          assert.ok(first !== undefined && texts.includes(first), `expected one of ${show(texts)} in ${seen}`);
          assert.deepEqual(new Set(answers), new Set([first]), `expected the same answer for all in ${seen}`);
          mustHave(await pick(providers, round).register(name), first, `after ${seen}`);
          await pick(providers, round).register(name, { from: first, to: undefined });
        }
        const [counters, times] = [8, 5];
        await Promise.all(
          range(counters).map(async (index) => {
            for (const _ of range(times)) await increment(pick(providers, index), name, index);
          }),
        );
        const last = await providers[0].register(name);
        const seen = `after ${counters * times} increments, got ${show(last)}`;
        assert.equal(countOf(last), counters * times, `expected no increment to be lost ${seen}`);
      }),
  },
  'register-outlives-its-provider': {
    title: 'a register keeps its text when the provider that wrote it is closed, and longer than a ttl',
    check: async (context) =>
      await withRegisters(context, async ([reader], name) => {
        const writer = await context.create();
        await mustRegister(writer).register(name, { from: undefined, to: 'kept' });
        await writer.close();
        mustHave(await reader.register(name), 'kept', 'after its provider was closed');
        await sleep(1.5 * context.ttl);
        mustHave(await mustRegister(await context.create()).register(name), 'kept', 'from a new provider, after a ttl');
      }),
  },
  'register-apart-from-keys': {
    title: 'neither list nor inspect shows a register, and the key with its name is separate',
    check: async (context) =>
      await withRegisters(context, async ([one, two], name, more) => {
        const names = [name, ...range(3).map((index) => more(`/${index}`)), more('}:queue'), more('}:token')];
        for (const each of names) await one.register(each, { from: undefined, to: 'text' });
        const claims = names.map((key) => context.claim(key));
        for (const { key } of claims) {
          const { holders, waiters } = await two.inspect(key);
          assert.deepEqual({ holders, waiters }, { holders: [], waiters: 0 }, `expected no holder of ${show(key)}`);
        }
        await mustBeListed(context, two, name, []);
        for (const claim of claims) await mustGrant(one, claim, 'on the key with the name of a register');
        await mustBeListed(context, two, name, names);
        for (const each of names) mustHave(await two.register(each), 'text', 'while the key of its name is held');
        for (const claim of claims) await mustFree(one, claim, 'on the key with the name of a register');
        for (const each of names) mustHave(await two.register(each), 'text', 'after a release of the key of its name');
        await mustBeListed(context, two, name, []);
      }),
  },
  'register-names': {
    title:
      'registers whose names differ in one character are different; names have up to 250, texts up to 200 of ! to ~',
    check: async (context) =>
      await withRegisters(context, async ([one, two], name, more) => {
        const printed = range(94).map((index) => String.fromCharCode(33 + index));
        const filled = (length: number, last: string): string => 'x'.repeat(length - name.length - 1) + last;
        const names = [
          ...printed.map(more),
          more(printed.join('')),
          ...['a', 'A', 'b'].map((last) => more(filled(250, last))),
          more(filled(249, 'a')),
        ];
        const texts = names.map((_, index) => `${printed.join('')}${`${index}/`.padEnd(106, pick(printed, index))}`);
        const write = (each: string, index: number): Promise<string | undefined> =>
          one.register(each, { from: undefined, to: pick(texts, index) });
        const written = await Promise.all(names.map(write));
        const read = await Promise.all(names.map((each) => two.register(each)));
        for (const [index, each] of names.entries()) {
          mustHave(written[index], texts[index], `for the first change of ${show(each)}`);
          mustHave(read[index], texts[index], `from ${show(each)}, which is a register of its own`);
        }
        // Upper and lower case differ in texts, too.
        const [first] = texts as [string];
        const other = first.toUpperCase();
        mustHave(await one.register(more('!'), { from: other, to: 'x' }), first, 'where the case of a letter differs');
      }),
  },
  'register-longest': {
    title:
      'a register with a name of 250 characters keeps a text of 250; a composite, which needs 25 of them, may refuse it',
    check: async (context) =>
      await withRegisters(context, async ([one, two], _name, more) => {
        const name = more('x'.repeat(250 - more('').length));
        const [short, long] = [200, 250].map((length) => '~'.repeat(length - 1)) as [string, string];
        mustHave(await one.register(name, { from: undefined, to: `${short}!` }), `${short}!`, 'of 200 characters');
        const change = { from: `${short}!`, to: `${long}!` };
        const written = await one.register(name, change).catch((error: unknown) => {
          assert.ok(isLockError(error, 'LOCK_INVALID'), `expected 250 characters to be kept, got ${show(error)}`);
          return change.from;
        });
        mustHave(await two.register(name), written, 'with its last character');
        assert.ok(written === change.from || written === change.to, `expected the whole text, got ${show(written)}`);
        const other = { from: written?.replace('!', '"'), to: 'x' };
        mustHave(await two.register(name, other), written, 'where the last of its characters differs');
        mustHave(await two.register(name, { from: written, to: 'x' }), 'x', 'for a change of the longest text');
      }),
  },
});

type Four = readonly [Both, Both, Both, Both];
type Both = LockProvider & Registers;

/**
 * Runs `check` with four providers and the name of a register. `more` returns another name with a
 * suffix. All of them are left without a text.
 */
export async function withRegisters(
  context: Context,
  check: (providers: Four, name: string, more: (end: string) => string) => Promise<void>,
): Promise<void> {
  const providers = (await context.createMany(4)).map(mustRegister) as unknown as Four;
  const name = context.unique();
  const names = new Set([name]);
  const more = (end: string): string => {
    names.add(name + end);
    return name + end;
  };
  try {
    await check(providers, name, more);
  } finally {
    // A failed check reports its own failure, not that this failed too.
    const [one] = providers;
    await Promise.allSettled([...names].map((each) => empty(one, each)));
  }
}

/** `provider`, which has registers. */
function mustRegister(provider: LockProvider): Both {
  assert.ok(provider.register !== undefined, 'expected each provider to have a method "register"');
  return provider as Both;
}

export function mustHave(text: string | undefined, expected: string | undefined, when: string): void {
  assert.equal(text, expected, `expected the text ${show(expected)} ${when}, got ${show(text)}`);
}

async function empty(provider: Registers, name: string): Promise<void> {
  for (let from = await provider.register(name); from !== undefined;) {
    from = await provider.register(name, { from, to: undefined });
  }
}

/** The texts are a number, and who wrote it: no two of them are equal. */
async function increment(provider: Registers, name: string, index: number): Promise<void> {
  let from = await provider.register(name);
  for (;;) {
    const to = `${countOf(from) + 1}/${index}`;
    const text = await provider.register(name, { from, to });
    if (text === to) return;
    from = text;
  }
}

function countOf(text: string | undefined): number {
  return Number(text?.split('/')[0] ?? 0);
}

async function mustBeListed(
  { patience }: Context,
  provider: LockProvider,
  prefix: string,
  expected: readonly string[],
): Promise<void> {
  if (provider.list === undefined) return;
  for (const start of [prefix, '']) {
    const listed = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      // Other keys may be held in this store.
      for await (const key of provider.list?.(start) ?? []) if (key.includes(prefix)) found.push(key);
      return found.toSorted();
    };
    // The last member of a composite may free a key slightly later.
    const what = `list(${show(start)}) to give ${show(expected)}`;
    await eventually(patience, what, listed, (found) => isDeepStrictEqual(found, expected.toSorted()));
  }
}
