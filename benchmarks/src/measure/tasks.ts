import { serveParent, startChild } from '@locks/conformance/processes';

/** Runs the task of `module` in a process of its own, which can collect garbage, and ends that. */
export async function runTask<Output>(module: URL, input: unknown): Promise<Output> {
  const child = startChild(module, { name: module.pathname, execArgv: ['--expose-gc'] });
  try {
    return (await child.ask(input)) as Output;
  } finally {
    await child.kill();
  }
}

/** In the module of a task: what `runTask` gets. */
export function serveTask<Input>(task: (input: Input) => Promise<unknown>): void {
  serveParent(task);
}
