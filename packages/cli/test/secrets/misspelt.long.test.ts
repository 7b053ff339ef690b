import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chdir } from 'node:process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { openLocks } from '@locks/core';
import { configSources, mergeSources } from '@locks/core/open';
import { createRandom } from '@locks/core/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { examine } from '../../src/doctor/examine.ts';
import { findStore } from '../../src/store/open-store.ts';
import { createUser, ownFolder } from '../support/locks-program.ts';
import { misspell } from '../support/misspelt.ts';
import type { Misspelt } from '../support/misspelt.ts';

beforeEach(() => chdir(ownFolder()));

/** All text that a log may show of a value, and of what caused an error. */
function allText(value: unknown): string {
  const texts = [String(value), inspect(value, { depth: 9, showHidden: true, maxStringLength: 10_000 }), json(value)];
  if (value instanceof Error) texts.push(value.message, `${value.stack}`, allText(value.cause ?? ''));
  if (value instanceof AggregateError) texts.push(...value.errors.map(allText));
  return texts.join('\n');
}

function json(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)) ?? '';
}

/** Six letters in a row, as they are and as bytes are shown. */
function partsOf(secret: string): readonly string[] {
  const parts = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6));
  const bytes = Buffer.from(secret);
  return [...parts, bytes.toString('hex'), bytes.toString('hex').replaceAll(/..(?!$)/g, '$& '), [...bytes].join(',')];
}

/** What `said` has of a secret, with what is around it. */
function leak({ secrets }: Misspelt, said: string): string | undefined {
  const text = said.toLowerCase();
  const at = secrets
    .flatMap(partsOf)
    .map((part) => text.indexOf(part))
    .find((index) => index !== -1);
  return at === undefined ? undefined : `…${said.slice(Math.max(0, at - 120), at + 60)}`;
}

async function textOf(work: () => Promise<unknown>): Promise<string> {
  return allText(await work().catch((error: unknown) => error));
}

/** What opening it says, and `doctor`. */
async function saidOf({ target, url }: Misspelt): Promise<string> {
  const opened = async (): Promise<unknown> => {
    const locks = await openLocks(target);
    await locks.close();
    return locks;
  };
  const looked = async (): Promise<unknown> => await examine(mergeSources(await configSources(target)).backend);
  const shown = url === undefined ? '' : (await findStore({ url })).shown;
  return [shown, ...(await Promise.all([opened, looked].map(textOf)))].join('\n');
}

test('what errors, channels and warnings say of a misspelt URL or configuration has no part of its password', async () => {
  const random = createRandom(Number(process.env['LOCKS_TEST_SEED'] ?? 51));
  const found: string[] = [];
  let heard = '';
  const hear = (message: unknown): void => void (heard += allText(message));
  const names = ['claim', 'giveup', 'lost', 'renew', 'release', 'slow', 'member', 'migration'].map(
    (name) => `locks:${name}`,
  );
  for (const name of names) subscribe(name, hear);
  process.on('warning', hear);
  onTestFinished(() => {
    for (const name of names) unsubscribe(name, hear);
    process.off('warning', hear);
  });
  const one = async (): Promise<void> => {
    const drawn = misspell(random);
    const at = leak(drawn, await saidOf(drawn));
    const channels = leak(drawn, heard);
    if (at !== undefined || channels !== undefined)
      found.push(`${inspect(drawn.target, { depth: 5 })}: ${at ?? channels}`);
  };
  for (let round = 0; round < 8; round += 1) await Promise.all(Array.from({ length: 400 }, one));
  expect(found.slice(0, 20)).toEqual([]);
}, 120_000);

test('what the command prints of it has none either', async () => {
  const random = createRandom(7);
  const { start, home } = createUser();
  const found: string[] = [];
  const commands = [
    ['ls'],
    ['doctor'],
    ['inspect', 'key'],
    ['jobs'],
    ['run', 'key', '--', 'true'],
    ['tables', 'status'],
    ['ui'],
  ];
  const one = async (words: readonly string[], index: number): Promise<void> => {
    const drawn = misspell(random);
    const config = join(home, `${index}.json`);
    const { target, url } = drawn;
    writeFileSync(config, json(typeof target === 'string' ? { url: target } : target));
    const ways: readonly (readonly [readonly string[], Record<string, string>])[] = [
      [['--config', config], {}],
      [[], { LOCKS_CONFIG: config }],
      ...(url === undefined || url.includes('\0')
        ? []
        : [[['--url', url], {}] as const, [[], { LOCKS_URL: url }] as const]),
    ];
    const [args, env] = ways[index % ways.length] as (typeof ways)[number];
    const options = index % 2 === 0 ? ['--json'] : ['-v'];
    const started = start([...args, ...options, ...words], { env });
    const stop = setTimeout(() => started.process.kill('SIGTERM'), 10_000);
    const { output, errors } = await started.ended;
    clearTimeout(stop);
    const at = leak(drawn, output + errors);
    if (at !== undefined) found.push(`${words[0]} ${inspect(target)}: ${at}`);
    expect(output + errors).not.toBe('');
  };
  for (let round = 0; round < 8; round += 1)
    await Promise.all(commands.map((words, index) => one(words, round * commands.length + index)));
  expect(found).toEqual([]);
}, 180_000);
