import { getContainerRuntimeClient, getReaper, ImageName, LABEL_TESTCONTAINERS_SESSION_ID } from 'testcontainers';
import type { ServerDefinition } from '../server/definition.ts';
import type { StartedServer } from '../server/handle.ts';
import { PortTakenError, holdPort, startOnFreePort } from '../server/ports.ts';
import { messageOf, tailOf, waitUntilReady } from '../server/ready.ts';

type Client = Awaited<ReturnType<typeof getContainerRuntimeClient>>;
type Container = ReturnType<Client['container']['getById']>;

/** In seconds, as Docker wants it: how long an orderly shutdown may take before it is a SIGKILL. */
const patience = 5;

/**
 * Starts a server in a container. testcontainers finds the Docker engine, pulls the image, and its
 * reaper removes the container when this process dies (unless `TESTCONTAINERS_RYUK_DISABLED`). The
 * container is made here, not by `GenericContainer`. That class waits 10 s for the ports of a
 * server that has ended, and drops its output.
 */
export async function startContainer(definition: ServerDefinition, image: string): Promise<StartedServer> {
  const client = await getContainerRuntimeClient();
  await client.image.pull(ImageName.fromString(image));
  const { sessionId } = await getReaper(client);
  const labels = { 'org.testcontainers': 'true', [LABEL_TESTCONTAINERS_SESSION_ID]: sessionId };
  const { host: engineHost } = client.info.containerRuntime;
  // "localhost" may mean ::1, where the engine need not listen.
  const host = engineHost === 'localhost' ? '127.0.0.1' : engineHost;
  return startOnFreePort('0.0.0.0', (port) => startOn(port, { definition, image, client, labels, host }));
}

interface Surroundings {
  readonly definition: ServerDefinition;
  readonly image: string;
  readonly client: Client;
  readonly labels: Readonly<Record<string, string>>;
  readonly host: string;
}

async function startOn(
  port: number,
  { definition, image, client, labels, host }: Surroundings,
): Promise<StartedServer> {
  const url = definition.url(host, port);
  const what = `${image} on ${host}:${port}`;
  const letGoOfPort = await holdPort('0.0.0.0', port);
  let container = await create();

  function create(): Promise<Container> {
    const exposed = `${definition.containerPort}/tcp`;
    const { network, alias } = definition.containerNetwork ?? {};
    return client.container.create({
      Image: image,
      Cmd: [...definition.containerCommand],
      Env: Object.entries(definition.containerEnvironment ?? {}).map(([name, value]) => `${name}=${value}`),
      StopSignal: definition.stopSignal ?? 'SIGTERM',
      Labels: labels,
      ExposedPorts: { [exposed]: {} },
      // A fixed port of the host: Docker gives a container another one at each start if it may
      // choose.
      HostConfig: {
        PortBindings: { [exposed]: [{ HostIp: host === '127.0.0.1' ? host : '', HostPort: `${port}` }] },
        ...(network === undefined ? {} : { NetworkMode: network }),
      },
      ...(network === undefined
        ? {}
        : { NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: alias === undefined ? [] : [alias] } } } }),
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
      failure: ended,
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

  try {
    await start();
  } catch (error) {
    letGoOfPort();
    await remove();
    throw error;
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
        if (meanwhile !== undefined)
          throw new Error(
            'the files of a container cannot be changed: unset LOCKS_TEST_SERVERS to run a local process',
          );
        if (keepData) {
          if (await isPaused()) await container.unpause();
          if ((await ended()) === undefined) await container.stop({ t: patience });
        } else {
          await remove();
          container = await create();
        }
        await start();
      },
      log,
      async stop() {
        await remove();
        letGoOfPort();
      },
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
