import { serveParent, startChild } from '@locks/conformance/processes';

/** Runs the task of `module` in a separate process, which can collect garbage, and ends it. */
export async function runTask<Output>(module: URL, input: unknown): Promise<Output> {
  const child = startChild(module, { name: module.pathname, execArgv: ['--expose-gc'] });
  try {
    return (await child.ask(input)) as Output;
  } finally {
    await child.kill();
  }
}

/** In the module of a task: receives the input of `runTask`. */
export function serveTask<Input>(task: (input: Input) => Promise<unknown>): void {
  serveParent(task);
}
