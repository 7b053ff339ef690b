import { describe, expect, it } from 'vitest';
import {
  duration,
  flag,
  integer,
  matching,
  oneOf,
  parseDuration,
  readOptions,
  withMethods,
} from '../../src/adapter/index.ts';
import type { OptionReader } from '../../src/adapter/index.ts';
import { durationOrForever } from '../../src/options/duration.ts';

const colour = oneOf('red', 'green', 'blue');
const client = withMethods<{ get(): void; set(): void }>('a client', 'get', 'set');

describe('an option reader', () => {
  it.each<[string, OptionReader<unknown>, unknown[], unknown[]]>([
    ['a duration', duration(10, 20), [10, 15, 20], [9, 21, 10.5, '15', Number.NaN, null]],
    ['a duration or for ever', durationOrForever(10), [10, 10.5, Infinity], [9, '15', Number.NaN, null]],
    ['an integer', integer(1, 9), [1, 9], [0, 10, 1.5, '5', 5n, true]],
    ['a flag', flag, [true, false], ['true', 0, null]],
    ['one of a few words', colour, ['red', 'blue'], ['', 'pink', null]],
    ['a pattern', matching(/^\d+$/, 'digits'), ['5'], [5, 'x', null]],
    [
      'methods',
      client,
      [{ get() {}, set() {} }],
      [null, undefined, 'text', () => {}, {}, { get() {} }, { get: 1, set: 1 }],
    ],
  ])('of %s accepts what it expects, and nothing else', (_, reader, good, bad) => {
    for (const value of good) expect(reader.accepts(value), String(value)).toBe(true);
    for (const value of bad) expect(reader.accepts(value), String(value)).toBe(false);
  });

  it('of methods takes a function that has them for what it is not', () => {
    expect(client.accepts(Object.assign(() => {}, { get() {}, set() {} }))).toBe(false);
  });

  it.each<[string, OptionReader<unknown>, string, unknown]>([
    ['a duration', duration(10, 20), '15ms', 15],
    ['an integer', integer(1, 99), '12', 12],
    ['an integer with a sign', integer(1, 99), '+12', undefined],
    ['an integer with a fraction', integer(1, 99), '1.5', undefined],
    ['an integer with a unit', integer(1, 99), '5s', undefined],
    ['a flag that is set', flag, 'true', true],
    ['a flag that is not', flag, 'false', false],
    ['a flag that is neither', flag, 'yes', undefined],
    ['a word', colour, 'green', 'green'],
    ['an unknown word', colour, 'pink', undefined],
    ['a text', matching(/^\d+$/, 'digits'), 'any', 'any'],
    ['methods', client, 'client', undefined],
  ])('reads %s', (_, reader, text, value) => {
    expect(reader.parse(text)).toBe(value);
  });

  it('of words reads them, and each says in words what it expects', () => {
    expect(duration(10, 20).expects).toBe('an integer from 10 to 20 (ms)');
    expect(durationOrForever(10).expects).toBe('a number of ms of at least 10, or Infinity');
    expect(integer(1, 9).expects).toBe('an integer from 1 to 9');
    expect(flag.expects).toBe('true or false');
    expect(oneOf('on', 'off').parse('off')).toBe('off');
    expect(colour.expects).toBe('"red" or "green" or "blue"');
    expect(matching(/x/, 'an x').expects).toBe('an x');
    expect(client.expects).toBe('a client');
  });
});

describe('a duration in text', () => {
  it.each([
    ['1500', 1_500],
    ['0', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5s', 1_500],
    ['1.1m', 66_000],
    ['1h', 3_600_000],
    ['Infinity', Infinity],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', 's', '5 s', '5sec', '5d', '-5', '+5', '.5', '5.', '1e3', 'x5', '5s!', 'infinity', 'ms'])(
    '%s is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('the options of an adapter', () => {
  const readers = { prefix: matching(/^[a-z]+$/, 'letters'), size: integer(1, 9), password: secret() };
  const source = { where: 'The adapter', code: 'LOCK_MISCONFIGURED' } as const;

  function secret(): OptionReader<string> {
    return { ...matching(/^\w+$/, 'a word'), secret: true };
  }

  it('are those that are set', () => {
    expect(readOptions(readers, { prefix: 'a', size: undefined }, source)).toEqual({ prefix: 'a' });
    expect(readOptions(readers, {}, source)).toEqual({});
  });

  it('are read from text only where text is expected', () => {
    expect(readOptions(readers, { size: '5' }, { ...source, text: true })).toEqual({ size: 5 });
    expect(() => readOptions(readers, { size: '5' }, source)).toThrow(
      'The adapter: option "size" must be an integer from 1 to 9, not "5".',
    );
  });

  it.each([
    ['a b', 'the given text (not shown)'],
    [4711, 'a number'],
    [true, 'a boolean'],
    [null, 'null'],
    [['a b'], 'an object'],
  ])('are not shown when they are secret, but their type is: %j', (password, shown) => {
    expect(() => readOptions(readers, { password }, source)).toThrow(
      `The adapter: option "password" must be a word, not ${shown}.`,
    );
  });

  it('show how a duration is written where text is read', () => {
    const text = { ...source, text: true };
    expect(() => readOptions({ pause: duration(10, 20) }, { pause: 'soon' }, text)).toThrow(
      'The adapter: option "pause" must be an integer from 10 to 20 (ms), or text such as "30s", not "soon".',
    );
    expect(readOptions({ pause: duration(10, 20_000) }, { pause: '20s' }, text)).toEqual({ pause: 20_000 });
  });

  it('that belong to Locks are told so', () => {
    expect(() => readOptions(readers, { ttl: 5 }, { ...source, text: true })).toThrow(
      'The adapter: unknown option "ttl". "ttl" is an option of the client, not of the adapter: put it next to "options".',
    );
  });

  it('that are as near to several names are answered with all of them', () => {
    const near = { tls: flag, tel: flag };
    expect(() => readOptions(near, { tll: 5 }, { ...source, text: true })).toThrow(
      'Did you mean "ttl" or "tls" or "tel"?',
    );
    expect(() => readOptions(near, { tll: 5 }, source)).toThrow('Did you mean "tls" or "tel"?');
  });

  it('of few letters are near only if one differs', () => {
    expect(() => readOptions({ db: flag }, { x: 5 }, source)).toThrow('unknown option "x". Known options: db.');
  });

  it.each([
    ['prefx', ' Did you mean "prefix"?'],
    ['prfx', ' Did you mean "prefix"?'],
    ['xprefixx', ' Did you mean "prefix"?'],
    ['SIZE', ' Did you mean "size"?'],
    ['pref', ' Did you mean "prefix"?'],
    ['pre', ''],
    ['seize', ' Did you mean "size"?'],
    ['isez', ''],
    ['colour', ''],
  ])('that do not exist are answered with a near name, if there is one: %s', (name, hint) => {
    const message = `The adapter: unknown option "${name}".${hint} Known options: prefix, size, password.`;
    expect(() => readOptions(readers, { [name]: 1 }, source)).toThrow(
      expect.objectContaining({ code: 'LOCK_MISCONFIGURED', message }),
    );
  });
});
