import { dirname } from 'node:path';
import { addressOf } from '../../src/server/address.ts';
import { fourLetterWord, startZookeeper } from '../../src/index.ts';
import { openZookeeper } from '../zookeeper-client.ts';
import type { Kind } from './kind.ts';

const path = '/test-note';

export const zookeeper: Kind = {
  name: 'zookeeper',
  scheme: 'zookeeper:',
  start({ args } = {}) {
    if (args === undefined) return startZookeeper();
    const { tickTime, ...config } = Object.fromEntries(args.map((arg) => arg.split('=', 2) as [string, string]));
    return startZookeeper({ ...(tickTime === undefined ? {} : { tickTime: Number(tickTime) }), config });
  },
  durable: {},
  broken: { options: { args: ['tickTime=no-number'] }, reason: /Invalid config[^]*NaN/ },
  listenOn: (port) => ({ args: [`clientPort=${port}`] }),
  async open(url) {
    const session = await openZookeeper(url);
    return {
      async ping() {
        await session.get('/');
      },
      async write(value) {
        if ((await session.get(path)) === undefined) await session.create(path, value);
        else await session.set(path, value);
      },
      read: () => session.get(path),
      async dataFolder() {
        const settings = await fourLetterWord(addressOf(new URL(url), 2181), 'conf');
        return dirname(/^dataDir=(.*)$/m.exec(settings)?.[1] ?? '');
      },
      async noteDown(text) {
        // The server names the schemes that it does not know.
        await session.authenticate(text).catch(() => {});
      },
      closed: session.closed,
      [Symbol.dispose]: () => session[Symbol.dispose](),
    };
  },
};
