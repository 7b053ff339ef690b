import type { OptionReader } from '@locks/core/adapter';
import type { AclOption } from './acl.ts';
import { isClient } from '../clients/node-zookeeper-client/client.ts';
import type { NodeZookeeperClient } from '../clients/node-zookeeper-client/client.ts';
import type { Acl } from '../wire/records.ts';

/** Credentials for the servers' access control. */
export interface ZookeeperAuth {
  /** `digest`, or another scheme of the servers. */
  readonly scheme: string;
  /** For `digest`: `user:password`. */
  readonly credentials: string | Uint8Array;
}

export const nodePath: OptionReader<string> = {
  expects:
    'the path of a node ("/", "/locks", "/app/locks") outside of "/zookeeper", without empty names, ".", ".." and control characters',
  accepts: (value): value is string =>
    value === '/' ||
    (typeof value === 'string' &&
      /^(?:\/[^/]+)+$/.test(value) &&
      !/^\/zookeeper(?:\/|$)/.test(value) &&
      value.split('/').every(isName)),
  parse: (text) => text,
};

export const clientReader: OptionReader<(() => NodeZookeeperClient) | NodeZookeeperClient> = {
  expects:
    'a function that makes a client of node-zookeeper-client, () => createClient("host1:2181,host2:2181"), or such a client',
  accepts: (value): value is (() => NodeZookeeperClient) | NodeZookeeperClient =>
    typeof value === 'function' || isClient(value),
  parse: () => undefined,
};

export const authReader: OptionReader<ZookeeperAuth | readonly ZookeeperAuth[]> = {
  expects: 'an object with "scheme" and "credentials", or a list of such',
  accepts: (value): value is ZookeeperAuth | readonly ZookeeperAuth[] =>
    Array.isArray(value) ? value.length > 0 && value.every(isAuth) : isAuth(value),
  parse: () => undefined,
  secret: true,
};

export const aclReader: OptionReader<AclOption> = {
  expects: '"creator", "open" or a list of objects with "scheme", "id" and "permissions" (1 to 31)',
  accepts: (value): value is AclOption =>
    value === 'creator' || value === 'open' || (Array.isArray(value) && value.length > 0 && value.every(isAcl)),
  parse: (text) => (text === 'creator' || text === 'open' ? text : undefined),
};

/** Parts of node names. In a URL, commas separate them. */
export const markersReader: OptionReader<readonly string[]> = {
  expects: 'a list of non-empty texts that precede the number in node names',
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((marker) => typeof marker === 'string' && marker !== ''),
  parse: (text) => text.split(','),
};

function isName(name: string): boolean {
  return name !== '.' && name !== '..' && !/[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/.test(name);
}

function isAuth(value: unknown): value is ZookeeperAuth {
  if (!isObject(value)) return false;
  const { scheme, credentials } = value as Partial<Record<string, unknown>>;
  return (
    typeof scheme === 'string' &&
    scheme !== '' &&
    (typeof credentials === 'string' || credentials instanceof Uint8Array)
  );
}

function isAcl(value: unknown): value is Acl {
  if (!isObject(value)) return false;
  const { scheme, id, permissions } = value as Partial<Record<string, unknown>>;
  const isSum =
    typeof permissions === 'number' && Number.isInteger(permissions) && permissions >= 1 && permissions <= 31;
  return isSum && typeof scheme === 'string' && scheme !== '' && typeof id === 'string';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
