import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A request; a write has a `value`. */
export interface Request {
  readonly n: number;
  readonly id: string;
  readonly key: string;
  readonly token: string;
  readonly value?: number;
}

/** The answer of the register to request `n`. */
export interface Answer {
  readonly n: number;
  readonly ok: boolean;
  readonly value: number;
}

/** The guarded register, as a worker uses it. */
export interface RegisterClient {
  /** Undefined: the token is stale. */
  read(id: string, key: string, token: bigint): Promise<number | undefined>;
  /** False: the token is stale. */
  write(id: string, key: string, token: bigint, value: number): Promise<boolean>;
  close(): void;
}

export async function connectRegister(port: number): Promise<RegisterClient> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  createInterface({ input: socket }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.n)?.(answer);
    waiting.delete(answer.n);
  });
  const ask = (request: Omit<Request, 'n'>): Promise<Answer> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.write(`${JSON.stringify({ n: last, ...request } satisfies Request)}\n`);
    });
  return {
    async read(id, key, token) {
      const { ok, value } = await ask({ id, key, token: `${token}` });
      return ok ? value : undefined;
    },
    async write(id, key, token, value) {
      const { ok } = await ask({ id, key, token: `${token}`, value });
      return ok;
    },
    close: () => socket.end(),
  };
}
