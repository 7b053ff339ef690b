import type { AdapterModule } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { closeQuietly } from '../leases/close-locks.ts';
import type { Runtime } from '../time/runtime.ts';
import { settledWithin } from '../time/settled-within.ts';
import { loadAdapter } from './adapter-modules.ts';
import type { Backend } from './settings.ts';
import { withoutSecrets } from './without-secrets.ts';

/** In ms, for adapters without a limit of their own. */
const longest = 60_000;

/**
 * Opens the provider of a configuration, alone or as a member of a composite.
 * @throws `LOCK_MISCONFIGURED` naming the option; `LOCK_UNAVAILABLE` when the backend does not
 * answer.
 */
export async function openProvider(backend: Backend, runtime: Runtime): Promise<LockProvider> {
  const adapter = await loadAdapter(backend.provider);
  return await makeProvider(adapter, { url: backend.url, options: backend.options, runtime });
}

async function makeProvider(
  adapter: AdapterModule,
  config: Parameters<AdapterModule['fromConfig']>[0],
): Promise<LockProvider> {
  const opening = (async () => await adapter.fromConfig(config))();
  try {
    return await withinLimit(opening, config.runtime);
  } catch (error) {
    if (isLockError(error)) throw error;
    throw new LockError('LOCK_UNAVAILABLE', 'openLocks: the adapter could not connect to its backend; see the cause.', {
      cause: withoutSecrets(error, config),
    });
  }
}

/** The result of `opening`. A late provider is closed. */
async function withinLimit(opening: Promise<LockProvider>, runtime: Runtime): Promise<LockProvider> {
  let over = false;
  await settledWithin(
    runtime,
    longest,
    opening.finally(() => (over = true)),
  );
  if (over) return await opening;
  void opening.then(closeQuietly, () => {});
  const message = `openLocks: the adapter did not connect to its backend within ${longest} ms. Check that it is reachable.`;
  throw new LockError('LOCK_UNAVAILABLE', message);
}
