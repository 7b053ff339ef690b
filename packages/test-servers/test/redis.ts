import { startRedis } from '../src/index.ts';
import { open } from './ask.ts';

/** A connection. */
interface Session extends Disposable {
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  write(value: string): Promise<void>;
  /** What was written last, if the server has kept it. */
  read(): Promise<string | undefined>;
  /** The folder of the server's data, as the server sees it. */
  dataFolder(): Promise<string>;
  /** Makes the server print a line with `text`, a word, in it. */
  noteDown(text: string): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<void>;
}

export const redis = {
  start: startRedis,
  /** With these, what was written survives a SIGKILL. */
  durable: { args: ['--appendonly', 'yes'] },
  /** With these it cannot start, and says why. */
  broken: { options: { args: ['--no-such-option', 'yes'] }, reason: /FATAL CONFIG FILE ERROR[^]*no-such-option/ },
  listenOn: (port: number): { readonly args: readonly string[] } => ({ args: ['--port', `${port}`] }),
  async open(url: string): Promise<Session> {
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
} as const;

/** Does one thing over a connection of its own. */
export async function over<T>(url: string, act: (session: Session) => Promise<T>): Promise<T> {
  const session = await redis.open(url);
  try {
    return await act(session);
  } finally {
    session[Symbol.dispose]();
  }
}
