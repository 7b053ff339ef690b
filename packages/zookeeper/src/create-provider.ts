import { systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { FairRecipe } from './recipes/line/line.ts';
import { KeyNames } from './nodes/key-names.ts';
import { MadeFolders } from './nodes/folder-cleanup.ts';
import { Nodes } from './nodes/nodes.ts';
import { readZookeeperOptions } from './options/options.ts';
import type { ReadZookeeperOptions, ZookeeperProviderOptions } from './options/options.ts';
import { PlainRecipe } from './recipes/plain/plain.ts';
import { ZookeeperProvider } from './provider.ts';
import type { Recipe } from './recipes/recipe.ts';
import { SemaphoreRecipe } from './recipes/semaphore/semaphore.ts';
import { SessionManager } from './session/session-manager.ts';
import { Tokens } from './tokens/tokens.ts';

/**
 * A provider for `createLocks`, with a session of its own that begins with the first call and that `close` ends. One provider, and so one
 * session, is enough for all locks of a process.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function createZookeeperProvider(options: ZookeeperProviderOptions): ZookeeperProvider {
  return assembleProvider(readZookeeperOptions(options), systemRuntime);
}

/**
 * The parts of a provider, put together.
 * @param idle How long a key's folder is kept that is not used, in ms: by default, the servers look for empty ones as often.
 */
export function assembleProvider(
  options: ReadZookeeperOptions,
  runtime: Runtime,
  idle: number = 60_000,
): ZookeeperProvider {
  const { addresses, tls, auth, sessionTimeout, timeout, root, acl } = options;
  const nodes = new Nodes(root, acl);
  const tokens = new Tokens(nodes);
  const sessions = new SessionManager({
    addresses,
    tls,
    auth,
    sessionTimeout,
    runtime,
    heartbeat: tokens.heartbeat(),
    provider: 'ZooKeeper',
    async prepare(session) {
      await tokens.current(session);
    },
  });
  const names = new KeyNames(nodes, { addresses, tls, auth, sessionTimeout, runtime }, timeout);
  const below = options.recipe === 'semaphore' ? ['locks', 'leases'] : [];
  const folders = new MadeFolders({ sessions, runtime, below, idle });
  const recipe = recipeOf(options, nodes, tokens, folders);
  return new ZookeeperProvider({ sessions, recipe, nodes, tokens, folders, names, runtime, timeout });
}

function recipeOf(options: ReadZookeeperOptions, nodes: Nodes, tokens: Tokens, folders: MadeFolders): Recipe {
  const { fair, recipe, sharedMarkers } = options;
  if (!fair) return new PlainRecipe(nodes, tokens);
  if (recipe === 'semaphore') return new SemaphoreRecipe(nodes, tokens, folders);
  return new FairRecipe({ nodes, tokens, folders, names: recipe, sharedMarkers });
}
