import { connectionName, systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { clientTransport } from './clients/node-zookeeper-client/client-transport.ts';
import { FolderCleanup } from './nodes/folder-cleanup.ts';
import { createKeyNames } from './nodes/key-names.ts';
import { Nodes } from './nodes/nodes.ts';
import { processPrefix } from './nodes/paths.ts';
import { readZookeeperOptions } from './options/options.ts';
import type { ReadZookeeperOptions, ZookeeperProviderOptions } from './options/options.ts';
import { SessionProvider } from './provider.ts';
import { createQueueRecipe } from './recipes/queue/queue.ts';
import type { Recipe } from './recipes/recipe.ts';
import { createSemaphoreRecipe } from './recipes/semaphore/semaphore.ts';
import { socketTransport } from './servers/socket-transport.ts';
import { SessionManager } from './session/session-manager.ts';
import { Tokens } from './tokens/tokens.ts';
import type { ZookeeperProvider } from './zookeeper-provider.ts';

/**
 * A provider for `createLocks`. Its session begins with the first call, and `close` ends it. One
 * provider, and so one session, is enough for all locks of a process.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function createZookeeperProvider(options: ZookeeperProviderOptions): ZookeeperProvider {
  return assembleProvider(readZookeeperOptions(options), systemRuntime);
}

/**
 * Assembles a provider.
 * @param idle How long an unused folder of a key is kept, in ms.
 */
export function assembleProvider(
  options: ReadZookeeperOptions,
  runtime: Runtime,
  idle: number = 60_000,
): SessionProvider {
  const { client, addresses, tls, auth, sessionTimeout, timeout, root, acl } = options;
  const ask = options.ask?.bind(undefined, runtime);
  const nodes = new Nodes(root, acl);
  const tokens = new Tokens(nodes);
  const transport =
    client === undefined
      ? socketTransport({ addresses, tls, auth, ask, sessionTimeout, runtime })
      : clientTransport(client, runtime);
  const sessions = new SessionManager({
    transport,
    runtime,
    heartbeat: tokens.heartbeat(),
    async prepare(session, first) {
      await tokens.current(session);
      if (!first) return;
      // It shows the process to `locks doctor`. Calls neither wait for it nor need it.
      const path = nodes.under(`${processPrefix}${connectionName()}-${session.id.toString(16)}`);
      void nodes.make(session, path, 'ephemeral', '').catch(() => {});
    },
  });
  const names = createKeyNames(nodes, transport, runtime, timeout);
  const below = options.recipe === 'semaphore' ? ['locks', 'leases'] : [];
  const folders = new FolderCleanup({ sessions, runtime, below, idle });
  const recipe = recipeOf(options, nodes, tokens, folders);
  return new SessionProvider({
    sessions,
    recipe,
    nodes,
    tokens,
    folders,
    names,
    runtime,
    timeout,
    servers: transport.servers,
  });
}

function recipeOf(options: ReadZookeeperOptions, nodes: Nodes, tokens: Tokens, folders: FolderCleanup): Recipe {
  const { recipe, sharedMarkers, knownPlaces } = options;
  if (recipe === 'semaphore') return createSemaphoreRecipe(nodes, tokens, folders);
  return createQueueRecipe({ nodes, tokens, folders, names: recipe, sharedMarkers, knownPlaces });
}
