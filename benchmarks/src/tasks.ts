import { fork } from 'node:child_process';
import { once } from 'node:events';

type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };

/** Runs the task of `module` in a process of its own, which can collect garbage, and ends that. */
export async function runTask<Output>(module: URL, input: unknown): Promise<Output> {
  const child = fork(module, { execArgv: ['--expose-gc'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  try {
    child.send({ input }, () => {});
    const [message] = (await Promise.race([once(child, 'message'), exited.then(died)])) as [Answer];
    if (!message.ok) throw new Error(message.error);
    return message.value as Output;
  } finally {
    child.kill('SIGKILL');
    await exited;
  }

  function died([code, signal]: unknown[]): never {
    throw new Error(`${module.pathname} died (${String(signal ?? code)})`);
  }
}

/** In the module of a task: what `runTask` gets. */
export function serveTask<Input>(task: (input: Input) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.once('message', ({ input }: { input: Input }) => {
    task(input).then(
      (value) => answer({ ok: true, value }),
      (error: unknown) => answer({ ok: false, error: error instanceof Error ? `${error.stack}` : String(error) }),
    );
  });
}

function answer(message: Answer): void {
  process.send?.(message, undefined, undefined, () => {});
}
