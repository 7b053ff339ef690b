import { connectedProcesses, createDeadline, isLockError, misconfigured, runChecks } from '@locks/core/adapter';
import type { AdapterConfig, Check, Diagnosis } from '@locks/core/adapter';
import { printAddresses } from '../connection/address.ts';
import { readConfigOptions } from '../options/config-options.ts';
import { AuthFailedError } from '../connection/errors.ts';
import { processPrefix } from '../nodes/paths.ts';
import { overSeparateConnection } from '../servers/separate-connection.ts';
import type { SeparateSession } from '../servers/separate-connection.ts';
import { getChildren } from '../wire/requests.ts';

/** The examined servers, over a session at one of them. */
interface Ensemble {
  /** Configured, in ms. */
  readonly asked: number;
  /** Decided by the servers, in ms. */
  readonly sessionTimeout: number;
  /** The names of the processes with a session. */
  readonly names: () => Promise<readonly string[]>;
}

/** In ms: a process often pauses this long, for example for garbage collection. */
const leastTimeout = 4_000;

/** The checks of an ensemble. */
const checks: readonly Check<Ensemble>[] = [
  {
    name: 'session-timeout',
    look({ asked, sessionTimeout }) {
      if (sessionTimeout !== asked) {
        return {
          level: 'warning',
          what: `The servers grant sessions of ${sessionTimeout} ms instead of ${asked}.`,
          advice: 'Change option sessionTimeout, or minSessionTimeout and maxSessionTimeout of the servers.',
        };
      }
      if (sessionTimeout >= leastTimeout) {
        return { level: 'ok', what: `Locks of a silent process end after ${sessionTimeout} ms.` };
      }
      return {
        level: 'warning',
        what: `A process that pauses for ${sessionTimeout} ms loses all its locks.`,
        advice: `Set option sessionTimeout to ${leastTimeout} at least.`,
      };
    },
  },
  { name: 'processes', look: async ({ names }) => connectedProcesses(await names()) },
];

/** Examines the servers of `config`. */
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
  const examined = overSeparateConnection(parts, ending.signal, async ({ send, sessionTimeout: given }) => {
    const processes = (): Promise<readonly string[]> => processesUnder(options.root, send);
    return await runChecks(checks, { asked: sessionTimeout, sessionTimeout: given, names: processes }, run);
  });
  try {
    return { findings: await deadline.race(examined, 'the connection'), server: names };
  } catch (error) {
    throw refusedCredentials(error) ?? error;
  } finally {
    ending.abort(new Error('given up'));
    deadline.stop();
  }
}

async function processesUnder(root: string, send: SeparateSession['send']): Promise<readonly string[]> {
  const answer = await send(getChildren(root));
  if (!answer.ok && answer.error !== 'NO_NODE') throw new Error(`the server answers ${answer.error}`);
  const nodes = answer.ok ? answer.value.children.filter((node) => node.startsWith(processPrefix)) : [];
  return nodes.map((node) => node.slice(processPrefix.length, node.lastIndexOf('-')));
}

function refusedCredentials(error: unknown): Error | undefined {
  const cause = isLockError(error) ? error.cause : undefined;
  if (!(cause instanceof AuthFailedError)) return undefined;
  return misconfigured('@locks/zookeeper', `${cause.message}: check option "auth"`, { cause });
}
