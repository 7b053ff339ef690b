import { chown, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, accountForServer } from './account.ts';
import type { LocalPlace, ServerDefinition } from './definition.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import type { StartedServer } from './handle.ts';
import { ensureProgram } from './install.ts';
import { PortTakenError, startOnFreePort } from './ports.ts';
import { messageOf, tailOf, waitUntilReady } from './ready.ts';
import { runShell, toolRunner } from './run-tool.ts';

const host = '127.0.0.1';
/** In ms: how long an orderly shutdown may take before it is a SIGKILL. */
const patience = 5_000;

/** Starts a server as a child process on a free loopback port, its files in a temporary folder. */
export async function startLocally(definition: ServerDefinition): Promise<StartedServer> {
  const program = await ensureProgram(definition.program, definition.name);
  const account = await accountForServer(definition.account);
  return startOnFreePort(host, (port) => startOn(port, { definition, program, account }));
}

interface Surroundings {
  readonly definition: ServerDefinition;
  readonly program: string;
  readonly account: Account | undefined;
}

async function startOn(port: number, { definition, program, account }: Surroundings): Promise<StartedServer> {
  const { cleanUp = '', readyTimeout = 10_000, stopSignal = 'SIGTERM' } = definition;
  // As the server will call it.
  const folder = await realpath(await mkdtemp(join(tmpdir(), `locks-test-${definition.name}-`)));
  const place: LocalPlace = { port, folder, dataFolder: join(folder, 'data') };
  const logFile = join(folder, 'output.log');
  const url = definition.url(host, port);
  const what = `${definition.program.binary} on ${host}:${port}`;
  let server: GuardedProcess | undefined;

  function log(): Promise<string> {
    return readFile(logFile, 'utf8');
  }

  async function output(): Promise<string> {
    // There is none if the server was never started.
    return tailOf(await log().catch(() => ''), definition.secret);
  }

  async function prepare(): Promise<void> {
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    await mkdir(place.dataFolder, { mode: 0o700 });
    if (account !== undefined) await chown(place.dataFolder, account.uid, account.gid);
    await definition.prepare?.(place, toolRunner({ definition, program, folder, account }));
  }

  async function start(): Promise<void> {
    const args = definition.localArguments(place);
    const started = await startGuarded({ program, args, folder, logFile, cleanUp, account });
    server = started;
    try {
      await waitUntilReady({
        probe: () => definition.probe(new URL(url), { pid: started.pid, dataFolder: place.dataFolder }),
        failure: async () => started.ended(),
        output,
        timeout: readyTimeout,
        what,
      });
    } catch (error) {
      await kill();
      throw error;
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

  try {
    await prepare();
    await start();
  } catch (error) {
    const taken = definition.portTaken.test(await output());
    await rm(folder, { recursive: true, force: true });
    throw taken ? new PortTakenError(messageOf(error), { cause: error }) : error;
  }
  return {
    address: { url, host, port },
    controls: {
      pid: () => (server?.ended() === undefined ? server?.pid : undefined),
      pause: () => mustRun(server?.pause()),
      resume: () => mustRun(server?.resume()),
      kill,
      async restart(keepData) {
        await shutDown();
        if (!keepData) {
          await rm(place.dataFolder, { recursive: true, force: true });
          await prepare();
        }
        await start();
      },
      log,
      async stop() {
        await shutDown();
        await rm(folder, { recursive: true, force: true });
      },
    },
  };
}
