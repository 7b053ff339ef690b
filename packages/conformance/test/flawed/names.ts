import { withRules, wrapped } from './flaw.ts';
import type { Flaw } from './flaw.ts';

const truncated = (length: number) => (key: string) => Buffer.from(key).subarray(0, length).toString('latin1');

export const naming: readonly Flaw[] = [
  {
    name: 'keys are folded to lower case',
    caughtBy: ['names-odd'],
    mayAlsoFail: ['names-*'],
    make: withRules({ keyOf: (key) => key.toLowerCase() }),
  },
  {
    name: 'keys are normalised to NFC',
    caughtBy: ['names-odd'],
    mayAlsoFail: ['names-*'],
    make: withRules({ keyOf: (key) => key.normalize('NFC') }),
  },
  {
    name: 'keys are trimmed',
    caughtBy: ['names-odd'],
    mayAlsoFail: ['names-*'],
    make: withRules({ keyOf: (key) => key.trimEnd() }),
  },
  { name: 'keys are cut at 255 bytes', caughtBy: ['names-long'], make: withRules({ keyOf: truncated(255) }) },
  { name: 'keys are cut at 511 bytes', caughtBy: ['names-long'], make: withRules({ keyOf: truncated(511) }) },
  {
    name: 'keys are split into paths',
    caughtBy: ['names-odd'],
    mayAlsoFail: ['names-*', 'list-exact'],
    make: withRules({ keyOf: (key) => new URL(key, 'file:///').pathname }),
  },
  {
    name: 'braces are removed from keys',
    caughtBy: ['names-odd'],
    mayAlsoFail: ['names-*', 'list-exact'],
    make: withRules({ keyOf: (key) => key.replaceAll(/[{}]/g, '') }),
  },
  {
    name: 'the queue of a key is where the key of another lock may be',
    caughtBy: ['names-odd'],
    make: wrapped((inner) => ({
      async tryAcquire(claim, wake) {
        const owner = /^(.*):queue$/s.exec(claim.key)?.[1];
        const { waiters } = await inner.inspect(owner ?? claim.key);
        return owner !== undefined && waiters > 0 ? { granted: false } : await inner.tryAcquire(claim, wake);
      },
    })),
  },
];
