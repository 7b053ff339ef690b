import { type Client, type Exception, createClient } from 'node-zookeeper-client';

/** A `node-zookeeper-client` that is connected to the server. */
export async function connectOld({ host, port }: { readonly host: string; readonly port: number }): Promise<Client> {
  const client = createClient(`${host}:${port}`, { sessionTimeout: 3_000, spinDelay: 20 });
  const connected = new Promise<void>((resolve) => client.once('connected', resolve));
  client.connect();
  await connected;
  return client;
}

/** The value that a callback is called with. */
export function called<T>(run: (callback: (error: Error | Exception | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    run((error, value) => {
      if (error === null) resolve(value);
      else reject(new Error(String(error), { cause: error }));
    });
  });
}
