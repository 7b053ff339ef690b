import { addressOf } from '../server/address.ts';
import type { ServerDefinition } from '../server/definition.ts';
import type { StartedServer } from '../server/handle.ts';
import { waitUntilReady } from '../server/ready.ts';

/** The server named by the environment variable `variable`: used as it is, never controlled. */
export async function useExternal(definition: ServerDefinition, url: URL, variable: string): Promise<StartedServer> {
  const { protocol } = new URL(definition.url('localhost', definition.containerPort));
  if (url.protocol !== protocol)
    throw new Error(`${variable} starts with "${url.protocol}", but only "${protocol}//" is supported`);
  const address = addressOf(url, definition.containerPort);
  const where = `${address.host}:${address.port}`;
  await waitUntilReady({
    probe: () => definition.probe(url),
    failure: async () => undefined,
    output: async () => `(not known: the server is an external one, named by ${variable})`,
    timeout: 10_000,
    what: `the server at ${where}`,
  });
  const refuse = (operation: string) => async (): Promise<never> => {
    throw new Error(
      `${operation}() is not possible: this run uses the external server at ${where}, named by ${variable}. ` +
        `Unset ${variable} to run a local process, and set LOCKS_TEST_SERVERS=docker as well to run a container`,
    );
  };
  return {
    address,
    controls: {
      pid: () => undefined,
      pause: refuse('pause'),
      resume: refuse('resume'),
      kill: refuse('kill'),
      restart: refuse('restart'),
      log: refuse('log'),
      stop: async () => {},
    },
  };
}
