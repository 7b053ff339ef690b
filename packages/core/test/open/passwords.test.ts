import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LockError, openLocks } from '../../src/index.ts';
import type { AdapterConfig, LocksConfig } from '../../src/index.ts';
import { importCopy } from '../support/import-copy.ts';
import { standIn } from '../support/stand-in.ts';
import { refusal as rejection } from '../support/lock-error.ts';

/** What `openLocks` rejects with. */
const refusal = (target: unknown): ReturnType<typeof rejection> => rejection(openLocks(target as LocksConfig));

/** All text that a log would show of an error. */
function allText(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each !== undefined && each !== null; each = (each as { cause?: unknown }).cause) {
    texts.push(inspect(each, { depth: 0 }), JSON.stringify(each));
  }
  return texts.join('\n');
}

describe('no message has the password of a URL in it', () => {
  const password = 'hunter2%40x';
  const url = `redis://user:${password}@host:6379/0`;
  const showing = (make: (config: AdapterConfig) => unknown) => ({
    fromConfig: (config: AdapterConfig) => Promise.reject(make(config)),
  });

  it.each<[string, unknown]>([
    ['an unknown scheme', url.replace('redis:', 'consul:')],
    ['a wrong option', `${url}?ttl=soon`],
    ['a password with a bare "?"', 'redis://user:ab?hunter2@host'],
    ['a password with a bare "?" before the name of an option', 'redis://user:ab?ttl=hunter2@host'],
    ['a password in the query with a bare "&"', 'memory:?password=ab&hunter2'],
    ['a password in the query with a bare "&" and "="', 'memory:?password=ab&hunter2=x'],
    ['a name that has a value in it', 'memory:?password%3Dhunter2'],
    ['a value that has another option in it', 'memory:?ttl=5s;password=hunter2'],
    ['an option with a long value', { url: 'memory:', options: { waiterTtl: 'hunter2'.repeat(3) } }],
    ['a URL as options', { url: 'memory:', options: url }],
    ['a URL as the path of a file', { config: url }],
    ['the URL as provider', { provider: url }],
    ['the URL as another option', { provider: 'memory', uri: url }],
    ['a memory URL', url.replace('redis:', 'memory:')],
    ['an adapter that shows the URL', { url, provider: showing((config) => new Error(`cannot reach ${config.url}`)) }],
    [
      'an adapter that shows the decoded password',
      { url, provider: showing(() => new Error('NOAUTH with hunter2@x')) },
    ],
    [
      'an adapter that parses the URL badly',
      { url, provider: showing((config) => Object.assign(new TypeError('Invalid URL'), { input: config.url })) },
    ],
    [
      'a cause within a cause',
      { url, provider: showing((config) => new Error('failed', { cause: new Error(`at ${config.url}`) })) },
    ],
    ['an adapter that rejects with a string', { url, provider: showing((config) => `cannot reach ${config.url}`) }],
    ['unmet requires', { url, provider: showing(() => new LockError('LOCK_MISCONFIGURED', 'lacks fair')) }],
  ])('%s', async (_, target) => {
    const text = allText(await refusal(target));
    expect(text).not.toContain('hunter2');
  });

  it('a missing adapter', async () => {
    const copy = await importCopy(await standIn({}));
    const refused = await copy.openLocks(url).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'LOCK_MISCONFIGURED' });
    expect(allText(refused)).not.toContain('hunter2');
  });
});
