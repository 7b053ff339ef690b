import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalFolders, ServerDefinition } from '../server/definition.ts';
import type { StartedServer } from '../server/handle.ts';
import { PortTakenError, holdPort, startOnFreePort } from '../server/ports.ts';
import { messageOf, tailOf, waitUntilReady } from '../server/ready.ts';
import { loopback, prepareEngine } from './docker-engine.ts';
import type { Client, Engine } from './docker-engine.ts';

type Container = ReturnType<Client['container']['getById']>;
type ContainerCreateOptions = Parameters<Client['container']['create']>[0];

/** In seconds, as for Docker: time limit of a graceful shutdown before SIGKILL. */
const patience = 5;

/**
 * Starts a server in a container. testcontainers finds the Docker engine, pulls the image, and its
 * reaper removes the container when this process dies (unless `TESTCONTAINERS_RYUK_DISABLED`). The
 * container is not created by `GenericContainer`, which waits 10 s for the ports of a server that
 * has ended, and drops its output.
 */
export async function startContainer(definition: ServerDefinition, image: string): Promise<StartedServer> {
  const engine = await prepareEngine(image);
  const exposed = `${definition.containerPort}/tcp`;
  const { network, alias } = definition.containerNetwork ?? {};
  return startOnFreePort('0.0.0.0', (port) =>
    startOn(port, '0.0.0.0', {
      definition,
      image,
      engine,
      make: async () => ({
        Cmd: [...definition.containerCommand],
        Env: Object.entries(definition.containerEnvironment ?? {}).map(([name, value]) => `${name}=${value}`),
        ExposedPorts: { [exposed]: {} },
        // A fixed port of the host, as Docker would choose another one at each start.
        HostConfig: {
          PortBindings: {
            [exposed]: [{ HostIp: engine.host === loopback ? engine.host : '', HostPort: `${port}` }],
          },
          ...(network === undefined ? {} : { NetworkMode: network }),
        },
        ...(network === undefined
          ? {}
          : { NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: alias === undefined ? [] : [alias] } } } }),
      }),
    }),
  );
}

/**
 * Starts a server in a container on the network of this machine, at `port`, with the arguments and
 * the files of a local process. So several servers find each other as local ones do.
 */
export async function startContainerOnHost(
  definition: ServerDefinition,
  image: string,
  port: number,
  signal: AbortSignal | undefined,
): Promise<StartedServer> {
  const engine = await prepareEngine(image);
  if (engine.host !== loopback) {
    throw new Error(
      `${definition.name} as several servers needs a Docker engine of this machine, and this one is at ${engine.host}: unset LOCKS_TEST_SERVERS to run local processes`,
    );
  }
  const folder = await realpath(await mkdtemp(join(tmpdir(), `locks-test-${definition.name}-`)));
  const dataFolder = join(folder, 'data');
  const folders = { folder, dataFolder };
  // So this process can remove what the server writes.
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const make = async (): Promise<Partial<ContainerCreateOptions>> => {
    await definition.configure?.(folders, port);
    return {
      Entrypoint: [definition.program.binary],
      Cmd: [...definition.localArguments(folders, port)],
      User: user,
      HostConfig: { NetworkMode: 'host', Binds: [`${folder}:${folder}`] },
    };
  };
  try {
    await mkdir(dataFolder);
    return await startOn(port, loopback, { definition, image, engine, make, folders, signal });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Surroundings {
  readonly definition: ServerDefinition;
  readonly image: string;
  readonly engine: Engine;
  /** The options of the container, besides image, labels and signal. */
  make(): Promise<Partial<ContainerCreateOptions>>;
  /** Folders of this machine that are mounted at the same path. */
  readonly folders?: LocalFolders;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
}

async function startOn(port: number, held: string, surroundings: Surroundings): Promise<StartedServer> {
  const { definition, image, engine, make, folders, signal } = surroundings;
  const { client, labels, host } = engine;
  const url = definition.url(host, port);
  const what = `${image} on ${host}:${port}`;
  const letGoOfPort = await holdPort(held, port);
  let container = await create();

  async function create(): Promise<Container> {
    return await client.container.create({
      Image: image,
      StopSignal: definition.stopSignal ?? 'SIGTERM',
      Labels: labels,
      ...(await make()),
    });
  }

  async function start(): Promise<void> {
    try {
      await container.start();
    } catch (error) {
      const taken = /port is already allocated|address already in use/i.test(messageOf(error));
      throw taken ? new PortTakenError(messageOf(error), { cause: error }) : error;
    }
    let setUp = definition.containerSetup === undefined;
    await waitUntilReady({
      async probe() {
        if (!setUp) await execute(definition.containerSetup ?? []);
        setUp = true;
        await definition.probe(new URL(url));
      },
      failure: async () => (signal?.aborted === true ? 'was given up' : await ended()),
      output: async () => tailOf(await log(), definition.secret),
      timeout: 60_000,
      what,
    });
  }

  async function execute(command: readonly string[]): Promise<void> {
    const { exitCode, output } = await client.container.exec(container, [...command]);
    if (exitCode !== 0) throw new Error(`${command[0]} exits with code ${exitCode}: ${output.trim()}`);
  }

  async function log(): Promise<string> {
    return plainText(await container.logs({ stdout: true, stderr: true }));
  }

  async function ended(): Promise<string | undefined> {
    const { State: state } = await container.inspect();
    return state.Running ? undefined : `exited with code ${state.ExitCode}`;
  }

  async function isPaused(): Promise<boolean> {
    return (await container.inspect()).State.Paused;
  }

  async function mustRun(): Promise<void> {
    const end = await ended();
    if (end !== undefined) throw new Error(`${what} does not run, it ${end}: restart() it first`);
  }

  function remove(): Promise<void> {
    return container.remove({ force: true, v: true });
  }

  async function removeAll(): Promise<void> {
    await remove();
    letGoOfPort();
    if (folders !== undefined) await rm(folders.folder, { recursive: true, force: true });
  }

  try {
    await start();
  } catch (error) {
    const taken = folders !== undefined && definition.portTaken.test(await log());
    await removeAll();
    throw taken ? new PortTakenError(messageOf(error), { cause: error }) : error;
  }
  return {
    address: { url, host, port },
    controls: {
      pid: () => undefined,
      async pause() {
        await mustRun();
        if (!(await isPaused())) await container.pause();
      },
      async resume() {
        await mustRun();
        if (await isPaused()) await container.unpause();
      },
      async kill() {
        if ((await ended()) !== undefined) return;
        await container.kill();
        await container.wait();
      },
      async restart({ keepData, meanwhile }) {
        if (meanwhile !== undefined && folders === undefined)
          throw new Error(
            'the files of a container cannot be changed: unset LOCKS_TEST_SERVERS to run a local process',
          );
        if (keepData) {
          if (await isPaused()) await container.unpause();
          if ((await ended()) === undefined) await container.stop({ t: patience });
        } else {
          await remove();
          if (folders !== undefined) {
            await rm(folders.dataFolder, { recursive: true, force: true });
            await mkdir(folders.dataFolder);
          }
          container = await create();
        }
        if (folders !== undefined) await meanwhile?.(folders.dataFolder);
        await start();
      },
      log,
      stop: removeAll,
    },
  };
}

/**
 * Docker wraps each piece of output in a frame: 8 bytes of header, of which the last four are the
 * size.
 */
function plainText(frames: Buffer): string {
  let text = '';
  for (let at = 0; at + 8 <= frames.length;) {
    const next = at + 8 + frames.readUInt32BE(at + 4);
    text += frames.toString('utf8', at + 8, next);
    at = next;
  }
  return text;
}
