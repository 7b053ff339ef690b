import { chown, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, accountForServer } from './account.ts';
import type { ServerDefinition } from '../server/definition.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import type { StartedServer } from '../server/handle.ts';
import { ensureProgram } from './install.ts';
import { PortTakenError, holdPort, startOnFreePort } from '../server/ports.ts';
import { messageOf, tailOf, waitUntilReady } from '../server/ready.ts';
import { fillOrCopy } from './copies.ts';
import { runShell, toolRunner } from './run-tool.ts';

const host = '127.0.0.1';
/** In ms: time limit of a graceful shutdown before SIGKILL. */
const patience = 5_000;
/**
 * In ms: how long a restarting server may find its port or files in use. With less, a busy machine
 * is a failure.
 */
const obstacleTimeout = 5_000;

/** Optional choices of a start. */
export interface LocalStartOptions {
  /**
   * The port to listen on; if it is taken, the start rejects with a `PortTakenError`. @default a
   * free port
   */
  readonly port?: number | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
}

/** Starts a server as a child process on a free loopback port, its files in a temporary folder. */
export async function startLocally(
  definition: ServerDefinition,
  { port: wanted, signal }: LocalStartOptions = {},
): Promise<StartedServer> {
  const program = await ensureProgram(definition.program, definition.name);
  const account = await accountForServer(definition.account);
  // As the server resolves it.
  const folder = await realpath(await mkdtemp(join(tmpdir(), `locks-test-${definition.name}-`)));
  const surroundings = { definition, program, account, folder, dataFolder: join(folder, 'data'), signal };
  try {
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    await prepareData(surroundings);
    if (wanted !== undefined) return await startOn(wanted, surroundings);
    return await startOnFreePort(host, (port) => startOn(port, surroundings));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Surroundings {
  readonly definition: ServerDefinition;
  readonly program: string;
  readonly account: Account | undefined;
  readonly folder: string;
  readonly dataFolder: string;
  readonly signal: AbortSignal | undefined;
}

async function prepareData({ definition, program, account, folder, dataFolder }: Surroundings): Promise<void> {
  await mkdir(dataFolder, { mode: 0o700 });
  if (account !== undefined) await chown(dataFolder, account.uid, account.gid);
  const run = toolRunner({ definition, program, folder, account });
  const { name, fill, prepare } = definition;
  if (fill !== undefined) {
    const kind = `${name} ${program}`;
    await fillOrCopy({ folder, dataFolder, kind, fill: () => fill({ folder, dataFolder }, run) });
  }
  await prepare?.({ folder, dataFolder }, run);
}

async function startOn(port: number, surroundings: Surroundings): Promise<StartedServer> {
  const { definition, program, account, folder, dataFolder, signal } = surroundings;
  const { cleanUp = '', readyTimeout = 10_000, stopSignal = 'SIGTERM' } = definition;
  const logFile = join(folder, 'output.log');
  const url = definition.url(host, port);
  const what = `${definition.program.binary} on ${host}:${port}`;
  let server: GuardedProcess | undefined;
  /** The length of the output of earlier starts. */
  let printedBefore = 0;

  function log(): Promise<string> {
    return readFile(logFile, 'utf8');
  }

  /** Why a first start is hopeless, though the server runs. */
  async function hopeless(): Promise<string | undefined> {
    if (signal?.aborted === true) return 'was given up';
    // Some servers retry to get their port.
    return (await findsPortTaken()) ? 'found a port taken' : undefined;
  }

  /** What the latest start has printed. */
  async function printed(): Promise<string> {
    return (await log()).slice(printedBefore);
  }

  async function findsPortTaken(): Promise<boolean> {
    return definition.portTaken.test(await printed());
  }

  /** Whether a server that does not start may do so soon. */
  async function meetsAnother(): Promise<boolean> {
    return (await findsPortTaken()) || definition.othersThere?.test(await printed()) === true;
  }

  async function output(): Promise<string> {
    return tailOf(await printed(), definition.secret);
  }

  async function start(first: boolean): Promise<void> {
    await definition.configure?.({ folder, dataFolder }, port);
    const args = definition.localArguments({ folder, dataFolder }, port);
    printedBefore = (await log().catch(() => '')).length;
    const environment = definition.environment?.(port);
    const started = await startGuarded({ program, args, environment, folder, logFile, cleanUp, account });
    server = started;
    try {
      await waitUntilReady({
        probe: () => definition.probe(new URL(url), { pid: started.pid, dataFolder }),
        failure: async () => started.ended() ?? (first ? await hopeless() : undefined),
        output,
        timeout: readyTimeout,
        what,
      });
    } catch (error) {
      await kill();
      throw error;
    }
  }

  /** While the server did not run, another process may have used its port briefly. */
  async function startAgain(): Promise<void> {
    const end = performance.now() + obstacleTimeout;
    for (;;) {
      try {
        return await start(false);
      } catch (error) {
        if (performance.now() > end || !(await meetsAnother())) throw error;
      }
      await delay(50);
    }
  }

  async function mustRun(running: Promise<boolean> | undefined): Promise<void> {
    if (!(await running)) throw new Error(`${what} does not run, it ${server?.ended()}: restart() it first`);
  }

  async function kill(): Promise<void> {
    await server?.kill();
    await runShell(cleanUp, folder);
  }

  async function shutDown(): Promise<void> {
    await server?.terminate(stopSignal, patience);
    await runShell(cleanUp, folder);
  }

  const letGoOfPort = await holdPort(host, port);
  try {
    await start(true);
  } catch (error) {
    letGoOfPort();
    if (!(await findsPortTaken())) throw error;
    await rm(logFile);
    throw new PortTakenError(messageOf(error), { cause: error });
  }
  return {
    address: { url, host, port },
    controls: {
      pid: () => (server?.ended() === undefined ? server?.pid : undefined),
      pause: () => mustRun(server?.pause()),
      resume: () => mustRun(server?.resume()),
      kill,
      async restart({ keepData, meanwhile }) {
        await shutDown();
        if (!keepData) {
          await rm(dataFolder, { recursive: true, force: true });
          await prepareData(surroundings);
        }
        await meanwhile?.(dataFolder);
        await startAgain();
      },
      log,
      async stop() {
        await shutDown();
        letGoOfPort();
        await rm(folder, { recursive: true, force: true });
      },
    },
  };
}
