import type { AdapterModule } from '../adapter/adapter-config.ts';
import type { LockProvider } from '../contract.ts';
import { LockError, isLockError } from '../errors/lock-error.ts';
import { closeQuietly } from '../leases/close-locks.ts';
import type { Runtime } from '../time/runtime.ts';
import { settledWithin } from '../time/settled-within.ts';
import { loadAdapter } from './adapter-modules.ts';
import type { Backend } from './settings.ts';
import { withoutSecrets } from './without-secrets.ts';

/** In ms. Adapters have limits of their own: this one is for those that have none. */
const longest = 60_000;

/**
 * Opens the provider that a configuration names, alone or as a member of a composite.
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
    throw new LockError('LOCK_UNAVAILABLE', 'openLocks: the adapter could not open its backend; see the cause.', {
      cause: withoutSecrets(error, config),
    });
  }
}

/** What `opening` resolves to. A provider that comes later is closed. */
async function withinLimit(opening: Promise<LockProvider>, runtime: Runtime): Promise<LockProvider> {
  let over = false;
  await settledWithin(
    runtime,
    longest,
    opening.finally(() => (over = true)),
  );
  if (over) return await opening;
  void opening.then(closeQuietly, () => {});
  const message = `openLocks: the adapter has not opened its backend within ${longest} ms.`;
  throw new LockError('LOCK_UNAVAILABLE', message);
}
