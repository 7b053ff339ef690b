import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerDefinition } from './definition.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import type { StartedServer } from './handle.ts';
import { ensureProgram } from './install.ts';
import { PortTakenError, startOnFreePort } from './ports.ts';
import { messageOf, tailOf, waitUntilReady } from './ready.ts';

const host = '127.0.0.1';
/** In ms: how long an orderly shutdown may take before it is a SIGKILL. */
const patience = 5_000;

/** Starts a server as a child process on a free loopback port, its files in a temporary folder. */
export async function startLocally(definition: ServerDefinition): Promise<StartedServer> {
  const program = await ensureProgram(definition.program, definition.name);
  return startOnFreePort(host, (port) => startOn(port, definition, program));
}

async function startOn(port: number, definition: ServerDefinition, program: string): Promise<StartedServer> {
  const folder = await mkdtemp(join(tmpdir(), `locks-test-${definition.name}-`));
  const dataFolder = join(folder, 'data');
  const logFile = join(folder, 'output.log');
  const url = definition.url(host, port);
  const what = `${definition.program.binary} on ${host}:${port}`;
  let server: GuardedProcess | undefined;

  async function output(): Promise<string> {
    return tailOf(await readFile(logFile, 'utf8'), definition.secret);
  }

  async function start(): Promise<void> {
    await mkdir(dataFolder, { recursive: true });
    const args = definition.localArguments(port, dataFolder);
    const started = await startGuarded({ program, args, folder, logFile });
    server = started;
    try {
      await waitUntilReady({
        probe: () => definition.probe(new URL(url), started.pid),
        failure: async () => started.ended(),
        output,
        timeout: 10_000,
        what,
      });
    } catch (error) {
      await started.kill();
      throw error;
    }
  }

  async function signal(name: NodeJS.Signals): Promise<void> {
    if (!server?.signal(name)) throw new Error(`${what} does not run, it ${server?.ended()}: restart() it first`);
  }

  try {
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
      pause: () => signal('SIGSTOP'),
      resume: () => signal('SIGCONT'),
      kill: async () => server?.kill(),
      async restart(keepData) {
        await server?.terminate(patience);
        if (!keepData) await rm(dataFolder, { recursive: true, force: true });
        await start();
      },
      async stop() {
        await server?.terminate(patience);
        await rm(folder, { recursive: true, force: true });
      },
    },
  };
}
