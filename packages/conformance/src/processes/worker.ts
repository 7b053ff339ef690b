import { setMaxListeners } from 'node:events';
import type { LockProvider } from '@locks/core';
import { createRandom } from '../random.ts';
import { startWaiting } from '../waiting.ts';
import type { Waiting } from '../waiting.ts';
import { incrementFile } from './counter-file.ts';
import type { Envelope, Reply, Request } from './messages.ts';

// The other process of a check: makes a provider and does what it is told. Ends when its parent does.

// Its waits end with the process.
const { signal } = new AbortController();
setMaxListeners(0, signal);
const random = createRandom(process.pid, 'worker');
let provider: LockProvider | undefined;

process.on('message', ({ id, request }: Envelope) => {
  answer(request).then(
    (result) => send({ id, answer: result }),
    (error: unknown) => send({ id, error: describe(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'start': {
      const made = (await import(request.module)) as { create(args: unknown): LockProvider | Promise<LockProvider> };
      provider = await made.create(request.args);
      return undefined;
    }
    case 'call': {
      const own = started();
      const method = own[request.method] as (...parameters: readonly unknown[]) => Promise<unknown>;
      return await method.call(own, ...request.parameters);
    }
    case 'wait':
      return (await wait(request).granted).token;
    case 'line-up':
      return await wait(request).inLine;
    case 'count':
      for (const claim of request.claims) {
        const waiting = wait({ claim });
        const { token } = await waiting.granted;
        await incrementFile(request.file, token);
        await waiting.release();
      }
      return undefined;
    default:
      request satisfies never;
      throw new Error('unknown request');
  }
}

function wait({ claim }: Pick<Extract<Request, { kind: 'wait' }>, 'claim'>): Waiting {
  return startWaiting(started(), claim, { signal, random });
}

function started(): LockProvider {
  if (provider === undefined) throw new Error('the worker was not started');
  return provider;
}

function send(reply: Reply): void {
  process.send?.(reply);
}

function describe(error: unknown): Extract<Reply, { error: unknown }>['error'] {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  return { code: (error as { readonly code?: unknown }).code, message: error.message };
}
