import { inspect } from 'node:util';
import { chdir } from 'node:process';
import { openLocks } from '@locks/core';
import { adapters } from '@locks/core/open';
import { createRandom } from '@locks/core/testing';
import { expect, test } from 'vitest';
import { examine } from '../../src/doctor/examine.ts';
import { backendOf, findStore } from '../../src/store/open-store.ts';
import { ownFolder } from '../support/locks-program.ts';

type Pick = <T>(...of: readonly T[]) => T;

/** Of all packages; `consul` is of none. */
const schemes = [...Object.values(adapters).flatMap((adapter) => adapter.schemes), 'valkey', 'memory', 'consul'];

/** What people forget to percent-encode. */
const specials = [
  '?',
  '#',
  '/',
  '&',
  '=',
  '@',
  ':',
  ';',
  ',',
  '%',
  '+',
  '\\',
  '?@',
  '@?',
  '/@',
  '#@',
  '?&',
  '?a=1&',
  '',
];

/** How a URL is misspelt. `password` has not been put in yet. */
const slips: readonly ((url: string, pick: Pick) => string)[] = [
  (url, pick) => url.replace('://', pick(':', ':/', ':///', '//', '')),
  (url, pick) => url.replace('?', pick('&', '#', '??', ';', '%3F')),
  (url, pick) => url.replaceAll('&', pick(';', ',', ' ', '%26')),
  (url, pick) => url.replace(/=(?=\w*$)/, pick('%3D', ':', '', '==')),
  (url, pick) => url.replace('=', pick('%3D', ':', '', '==')),
  (url) => url.replace(/(user:PASSWORD@)(.*?)(?=\?)/, '$2/$1'),
  (url, pick) =>
    url.replace('PASSWORD', pick('x', '')).replace('?', pick('?password=PASSWORD&', '?PASSWORD=1&', '?tls=PASSWORD&')),
  (url, pick) => url.replace('user:', pick('', ':', 'user', 'us:er:')),
  (url, pick) => url.replace(':1', pick('', ':', ':1:2', ':99999', ':1/')),
  (url, pick) => url.replace('ttl', pick('tll', 'TTL', 'timeout', 'db', 'pool', 'prefix ', 'constructor')),
  (url, pick) => `${url}${pick('\n', ' ', '&', '#', '?')}`,
  (url) => url,
];

/** A URL with at least one slip, and the parts of its password. */
function misspell(random: () => number): { readonly url: string; readonly secrets: readonly string[] } {
  const pick: Pick = (...of) => of[Math.floor(random() * of.length)] as (typeof of)[number];
  const word = (): string => `s3${random().toString(36).slice(2, 8)}cr3t`;
  const [head, tail] = [word(), word()];
  const scheme = pick(...schemes);
  const special = pick(...specials);
  const place = scheme === 'sqlite' ? 'sqlite:./locks.db' : `${scheme}://user:PASSWORD@127.0.0.1:1/0`;
  let url = `${place}?connectTimeout=10&ttl=5s`;
  for (let left = pick(1, 1, 2); left > 0; left -= 1) url = pick(...slips)(url, pick);
  // What stands there is the path of a file.
  if (scheme === 'sqlite' && !url.startsWith('sqlite:./locks.db?')) return misspell(random);
  if (!url.includes('PASSWORD')) url = `${url}&password=PASSWORD`;
  return { url: url.replaceAll('PASSWORD', `${head}${special}${tail}`), secrets: [head, tail] };
}

/** All text that a log may show of an error. */
function allText(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push(
      each.message,
      `${each.stack}`,
      inspect(each, { depth: Infinity, showHidden: true }),
      JSON.stringify(each),
    );
    if (each instanceof AggregateError) texts.push(...each.errors.map(allText));
  }
  return texts.join('\n').toLowerCase();
}

/** What the command says of `url`: where locks are, what opening it fails with, and `doctor`. */
async function saidOf(url: string): Promise<string> {
  const store = await findStore({ url });
  const errors = [openLocks(url).then((locks) => locks.close()), backendOf({ url }).then(examine)].map(
    async (each) => await each.then((value) => inspect(value, { depth: 9 }), allText),
  );
  return [store.shown, ...(await Promise.all(errors))].join('\n').toLowerCase();
}

test('what the command says of a misspelt URL has no part of its password', async () => {
  chdir(ownFolder());
  const random = createRandom(51);
  const found: string[] = [];
  const one = async (): Promise<void> => {
    const { url, secrets } = misspell(random);
    const said = await saidOf(url);
    const at = secrets.map((secret) => said.indexOf(secret)).find((index) => index !== -1);
    if (at !== undefined) found.push(`${url}: …${said.slice(Math.max(0, at - 100), at + 60)}`);
  };
  for (let round = 0; round < 4; round += 1) await Promise.all(Array.from({ length: 1_000 }, one));
  expect(found).toEqual([]);
});
