import { once } from 'node:events';
import { CreateMode, createClient } from 'node-zookeeper-client';
import type { Client } from 'node-zookeeper-client';
import { ttl } from '../party.ts';

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

export function createContender(client: Client, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.create(path, CreateMode.EPHEMERAL_SEQUENTIAL, (error, created) => {
      if (error === null || error === undefined) resolve(created);
      else reject(error);
    });
  });
}

export function childrenOf(client: Client, path: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    client.getChildren(path, (error, children) => {
      if (error === null || error === undefined) resolve(children);
      else reject(error);
    });
  });
}

export function remove(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.remove(path, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

export function makePath(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.mkdirp(path, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

/** Resolves when the node at `path` has changed or ended, at once when there is none. */
export function changeOf(client: Client, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.exists(
      path,
      () => resolve(),
      (error, stat) => {
        if (error !== null && error !== undefined) reject(error);
        // A missing node has no Stat, whatever the types say.
        else if ((stat as unknown) === null || (stat as unknown) === undefined) resolve();
      },
    );
  });
}
