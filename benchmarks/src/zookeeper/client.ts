import { once } from 'node:events';
import { CreateMode, createClient } from 'node-zookeeper-client';
import type { Client, Exception } from 'node-zookeeper-client';
import { ttl } from '../subjects/party.ts';

/** How long a session of any subject lives without a sign of life, in ms. */
export const sessionTimeout = ttl;

/** `host:port` of a `zookeeper://` URL. */
export function hostsOf(url: string): string {
  return new URL(url).host;
}

/** A client of `node-zookeeper-client` that is connected. */
export async function connectClient(url: string): Promise<Client> {
  const client = createClient(hostsOf(url), { sessionTimeout });
  const connected = once(client, 'connected');
  client.connect();
  await connected;
  return client;
}

/** Ends the session, and with it its nodes. */
export async function closeClient(client: Client): Promise<void> {
  const gone = once(client, 'disconnected');
  client.close();
  await gone;
}

type Done<T> = (error: Error | Exception | null, value: T) => void;

/**
 * Some calls answer with `null` when all is well, others with nothing; an `Exception` is an
 * `Error`, whatever the types say.
 */
function promised<T>(call: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => {
      if (error instanceof Error) reject(error);
      else resolve(value);
    });
  });
}

export function createContender(client: Client, path: string): Promise<string> {
  return promised((done) => client.create(path, CreateMode.EPHEMERAL_SEQUENTIAL, done));
}

export function childrenOf(client: Client, path: string): Promise<string[]> {
  return promised((done) => client.getChildren(path, done));
}

export function remove(client: Client, path: string): Promise<unknown> {
  return promised((done: Done<undefined>) => client.remove(path, (error) => done(error, undefined)));
}

export function makePath(client: Client, path: string): Promise<unknown> {
  return promised((done) => client.mkdirp(path, done));
}

/** Resolves when the node at `path` has changed or ended, immediately when it does not exist. */
export async function changeOf(client: Client, path: string): Promise<void> {
  let change: () => void = () => {};
  const changed = new Promise<void>((resolve) => (change = resolve));
  // A missing node has no Stat, whatever the types say.
  const stat: unknown = await promised((done) => client.exists(path, change, done));
  if (stat !== null && stat !== undefined) await changed;
}
