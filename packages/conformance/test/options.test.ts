import { createMemoryProvider } from '@locks/core';
import { printConformance, runConformance, startConformance } from '@locks/conformance';
import { expect, test } from 'vitest';

const create = () => createMemoryProvider();
const sound = { name: 'm', create };
const module = '/srv/provider.mjs';

test.each<readonly [string, unknown, string]>([
  ['nothing', undefined, 'Conformance options: give an object, such as { name, create }.'],
  ['a function', create, 'Conformance options: give an object, such as { name, create }.'],
  ['no create', { name: 'm' }, 'option "create" is missing. Give a function that makes a provider.'],
  ['no name', { create }, 'option "name" is missing. Give a name, which reports show.'],
  ['a provider for create', { ...sound, create: create() }, 'option "create" must be a function that makes a provider'],
  ['an empty name', { ...sound, name: '' }, 'option "name" must be a name, which reports show, not ""'],
  ['onyl', { ...sound, onyl: ['release-frees'] }, 'unknown option "onyl". Did you mean "only"?'],
  ['creatOther', { ...sound, creatOther: create }, 'Did you mean "createOther"?'],
  [
    'an option of other suites',
    { ...sound, skip: ['fair-order'] },
    'unknown option "skip". Known options: name, create,',
  ],
  ['createOther', { ...sound, createOther: true }, 'option "createOther" must be a function'],
  ['a short ttl', { ...sound, ttl: 10 }, 'option "ttl" must be an integer from 50 to 60000, not 10.'],
  ['a ttl in words', { ...sound, ttl: '1s' }, 'option "ttl" must be an integer from 50 to 60000, not "1s".'],
  ['a limit', { ...sound, limit: -1 }, 'option "limit" must be an integer from 1 to'],
  ['a seed', { ...sound, seed: 0.5 }, 'option "seed" must be an integer from 0 to 4294967295, not 0.5.'],
  ['disturb', { ...sound, disturb: 'always' }, 'option "disturb" must be a function that disturbs the store'],
  ['leaks', { ...sound, leaks: { keys: 0 } }, 'option "leaks" must be a function that counts'],
  ['an id for only', { ...sound, only: 'release-frees' }, 'option "only" must be a list of ids'],
  ['nothing for only', { ...sound, only: [] }, 'must be a list of ids of requirements, with one at least'],
  [
    'an unknown id',
    { ...sound, only: ['release-frees', 'release-free'] },
    '"release-free", which is no requirement. Did you mean "release-frees"?',
  ],
  ['a choice of nothing', { ...sound, only: () => false }, 'option "only" chooses no requirement'],
  ['an id like no other', { ...sound, only: ['no-such-rule'] }, 'Reports and `requirements` have their ids.'],
  ['a list of faults', { ...sound, faults: [] }, 'option "faults" must be an object of hooks'],
  [
    'an unknown fault',
    { ...sound, faults: { servr: create } },
    'faults: unknown option "servr". Did you mean "sever"?',
  ],
  ['a fault that is no hook', { ...sound, faults: { pause: true } }, 'faults: option "pause" must be a function'],
  [
    'no module',
    { ...sound, processes: {} },
    'processes: option "module" is missing. Give a file URL or an absolute path.',
  ],
  [
    'a relative module',
    { ...sound, processes: { module: './p.mjs' } },
    'must be a file URL or an absolute path, not "./p.mjs"',
  ],
  ['a module of the network', { ...sound, processes: { module: new URL('https://a/b') } }, 'must be a file URL'],
  [
    'more about processes',
    { ...sound, processes: { module, arg: 1 } },
    'processes: unknown option "arg". Did you mean "args"?',
  ],
])('%s is refused by name, before anything is made', async (_name, options, message) => {
  const expected = expect.objectContaining({
    code: 'LOCK_MISCONFIGURED',
    message: expect.stringContaining(message) as string,
  }) as Error;
  expect(() => startConformance(options as never)).toThrow(expected);
  await expect(runConformance(options as never)).rejects.toEqual(expected);
  await expect(printConformance(options as never, () => {})).rejects.toEqual(expected);
});

test('options that are undefined are as those that are not given', async () => {
  const unset = { createOther: undefined, ttl: undefined, faults: undefined, leaks: undefined, limit: undefined };
  const { results } = await runConformance({ ...sound, ...unset, seed: undefined, only: ['release-frees'] });
  expect(results[0]?.status).toBe('passed');
});
