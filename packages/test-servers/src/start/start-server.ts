import { chooseServer } from './choose.ts';
import type { ServerDefinition } from '../server/definition.ts';
import { useExternal } from './external.ts';
import { createHandle, type ServerHandle, type StartedServer } from '../server/handle.ts';
import { startLocally } from '../local/local-process.ts';

/**
 * Starts a server as chosen by the environment; `given` are the names of the options that its
 * caller set.
 */
export async function startServer(definition: ServerDefinition, given: readonly string[]): Promise<ServerHandle> {
  return createHandle(await start(definition, given));
}

async function start(definition: ServerDefinition, given: readonly string[]): Promise<StartedServer> {
  const choice = chooseServer(definition.name, definition.image);
  switch (choice.kind) {
    case 'local':
      return startLocally(definition);
    case 'docker': {
      // Loads testcontainers, which takes half a second.
      const { startContainer } = await import('./container.ts');
      return startContainer(definition, choice.image);
    }
    case 'external':
      if (given.length > 0) {
        throw new Error(
          `${choice.variable} names an external server, which cannot be given ${given.map((name) => `"${name}"`).join(' and ')}: ` +
            `unset ${choice.variable} for what needs a server of its own`,
        );
      }
      return useExternal(definition, choice.url, choice.variable);
    default:
      return choice satisfies never;
  }
}
