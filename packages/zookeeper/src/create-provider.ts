import { systemRuntime } from '@locks/core/adapter';
import type { Runtime } from '@locks/core/adapter';
import { FairRecipe } from './fair.ts';
import { KeyNames } from './key-names.ts';
import { Nodes } from './nodes.ts';
import { readZookeeperOptions } from './options.ts';
import type { ReadZookeeperOptions, ZookeeperProviderOptions } from './options.ts';
import { PlainRecipe } from './plain.ts';
import { ZookeeperProvider } from './provider.ts';
import type { Recipe } from './recipe.ts';
import { SemaphoreRecipe } from './semaphore/semaphore.ts';
import { Session } from './session/session.ts';
import { Tokens } from './tokens.ts';

/**
 * A provider for `createLocks`, with a session of its own that begins with the first call and that `close` ends. One provider, and so one
 * session, is enough for all locks of a process.
 * @throws `LOCK_MISCONFIGURED` naming the wrong option.
 */
export function createZookeeperProvider(options: ZookeeperProviderOptions): ZookeeperProvider {
  return assembleProvider(readZookeeperOptions(options), systemRuntime);
}

/** The parts of a provider, put together. */
export function assembleProvider(options: ReadZookeeperOptions, runtime: Runtime): ZookeeperProvider {
  const { addresses, tls, auth, sessionTimeout, timeout, root, acl } = options;
  const nodes = new Nodes(root, acl);
  const tokens = new Tokens(nodes);
  const session = new Session({
    addresses,
    tls,
    auth,
    sessionTimeout,
    runtime,
    heartbeat: tokens.heartbeat(),
    provider: 'ZooKeeper',
    async prepare(generation) {
      await tokens.current(generation);
    },
  });
  const names = new KeyNames(nodes, { addresses, tls, auth, sessionTimeout, runtime }, timeout);
  const recipe = recipeOf(options, nodes, tokens);
  return new ZookeeperProvider({ session, recipe, nodes, tokens, names, runtime, timeout });
}

function recipeOf({ fair, recipe, sharedMarkers }: ReadZookeeperOptions, nodes: Nodes, tokens: Tokens): Recipe {
  if (!fair) return new PlainRecipe(nodes, tokens);
  if (recipe === 'semaphore') return new SemaphoreRecipe(nodes, tokens);
  return new FairRecipe({ nodes, tokens, names: recipe, sharedMarkers });
}
