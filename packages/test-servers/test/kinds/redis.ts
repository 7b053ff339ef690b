import { startRedis } from '../../src/index.ts';
import { open } from '../ask.ts';
import type { Kind } from './kind.ts';

export const redis: Kind = {
  name: 'redis',
  scheme: 'redis:',
  start: startRedis,
  durable: { args: ['--appendonly', 'yes'] },
  broken: { options: { args: ['--no-such-option', 'yes'] }, reason: /FATAL CONFIG FILE ERROR[^]*no-such-option/ },
  listenOn: (port) => ({ args: ['--port', `${port}`] }),
  async open(url) {
    const connection = await open(url);

    async function askFor(command: string, expected: string): Promise<void> {
      const answer = await connection.ask(command);
      if (answer !== expected) throw new Error(`${command} was answered by ${answer}`);
    }

    return {
      ping: () => askFor('PING', '+PONG'),
      write: (value) => askFor(`SET key ${value}`, '+OK'),
      async read() {
        const answer = await connection.ask('GET key');
        return answer === '$-1' ? undefined : answer.split('\r\n')[1];
      },
      async dataFolder() {
        return (await connection.ask('CONFIG GET dir')).split('\r\n').at(-1) ?? '';
      },
      noteDown: (text) => askFor(`EVAL "redis.log(redis.LOG_WARNING,'${text}')" 0`, '$-1'),
      closed: connection.closed,
      [Symbol.dispose]: () => connection[Symbol.dispose](),
    };
  },
};
