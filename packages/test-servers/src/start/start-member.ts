import type { LocalStartOptions } from '../local/local-process.ts';
import { startLocally } from '../local/local-process.ts';
import type { ServerDefinition } from '../server/definition.ts';
import type { ServerHandle } from '../server/handle.ts';
import { createHandle } from '../server/handle.ts';
import { chooseServer } from './choose.ts';

/** The port of one of several servers, and the signal that aborts its start. */
export type MemberStartOptions = LocalStartOptions & { readonly port: number };

/**
 * Starts one of several servers that find each other on loopback ports of this machine: a local
 * process, or a container on its network.
 */
export async function startMember(definition: ServerDefinition, options: MemberStartOptions): Promise<ServerHandle> {
  const choice = chooseServer(definition.name, definition.image);
  switch (choice.kind) {
    case 'local':
      return createHandle(await startLocally(definition, options));
    case 'docker': {
      const { startContainerOnHost } = await import('./container.ts');
      return createHandle(await startContainerOnHost(definition, choice.image, options.port, options.signal));
    }
    case 'external':
      throw new Error(`several servers cannot be the one that the environment names: unset ${choice.variable}`);
    default:
      return choice satisfies never;
  }
}
