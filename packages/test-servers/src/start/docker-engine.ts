import { getContainerRuntimeClient, getReaper, ImageName, LABEL_TESTCONTAINERS_SESSION_ID } from 'testcontainers';

export type Client = Awaited<ReturnType<typeof getContainerRuntimeClient>>;

/** Where servers on the network of the host listen. "localhost" may mean ::1. */
export const loopback = '127.0.0.1';

/** What runs containers. */
export interface Engine {
  readonly client: Client;
  readonly labels: Readonly<Record<string, string>>;
  readonly host: string;
}

/** The Docker engine, when it has `image`. */
export async function prepareEngine(image: string): Promise<Engine> {
  const client = await getContainerRuntimeClient();
  await client.image.pull(ImageName.fromString(image));
  const { sessionId } = await getReaper(client);
  const labels = { 'org.testcontainers': 'true', [LABEL_TESTCONTAINERS_SESSION_ID]: sessionId };
  const { host: engineHost } = client.info.containerRuntime;
  return { client, labels, host: engineHost === 'localhost' ? loopback : engineHost };
}
