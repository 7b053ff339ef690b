import { createDeadline, isLockError, misconfigured, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Diagnosis } from '@locks/core/adapter';
import { printAddresses } from '../connection/address.ts';
import { readConfigOptions } from '../options/config-options.ts';
import { AuthFailedError } from '../connection/errors.ts';
import { overSeparateConnection } from '../servers/separate-connection.ts';
import { checks } from './checks.ts';

/** Looks at the servers of `config`. */
export async function diagnose(config: AdapterConfig): Promise<Diagnosis> {
  const { runtime } = config;
  const { provider: options, connectTimeout } = readConfigOptions(config);
  if (options.client !== undefined) return { findings: [] };
  const { addresses, tls, auth, sessionTimeout } = options;
  const ask = options.ask?.bind(undefined, runtime);
  const ending = new AbortController();
  const parts = { addresses, tls, auth, ask, sessionTimeout, runtime };
  const run = { backend: 'ZooKeeper', within: options.timeout, runtime };
  const names = printAddresses(addresses);
  const deadline = createDeadline(runtime, connectTimeout + options.timeout, `ZooKeeper at ${names}`);
  const examined = overSeparateConnection(
    parts,
    ending.signal,
    async (session) => await runChecks(checks, { asked: sessionTimeout, sessionTimeout: session.sessionTimeout }, run),
  );
  try {
    return { findings: await deadline.race(examined, 'the connection'), server: names };
  } catch (error) {
    throw refusedCredentials(error) ?? error;
  } finally {
    ending.abort(new Error('given up'));
    deadline.stop();
  }
}

function refusedCredentials(error: unknown): Error | undefined {
  const cause = isLockError(error) ? error.cause : undefined;
  if (!(cause instanceof AuthFailedError)) return undefined;
  return misconfigured('@locks/zookeeper', `${cause.message}: check option "auth"`, { cause });
}
