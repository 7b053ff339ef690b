import type { KeyRange } from '../wire/messages.ts';

/** The names of the provider's keys in etcd. */
export interface Keys {
  /** Never changed: a watch on it shows that the stream works. */
  readonly quiet: Buffer;
  /** The key of one claim on `key`, held or waiting. */
  claim(key: string, owner: string): Buffer;
  /** All claims on `key`. */
  queue(key: string): Required<KeyRange>;
  /** The claims on all keys that begin with `prefix`. */
  queues(prefix: string): Required<KeyRange>;
  /** The key and the owner of a claim. `undefined`: the name belongs to another program. */
  readClaim(name: Buffer): { readonly key: string; readonly owner: string } | undefined;
  /** The base of all tokens. */
  readonly base: Buffer;
  register(name: string): Buffer;
  /** The highest token that a guard has accepted for `resource`. */
  fence(resource: string): Buffer;
}

export function keysBelow(prefix: string): Keys {
  const below = (folder: string, name: string): Buffer => Buffer.from(`${prefix}/${folder}/${name}`);
  const claims = `${prefix}/claims/`;
  return {
    quiet: below('quiet', ''),
    claim: (key, owner) => below('claims', `${escaped(key)}/${owner}`),
    queue: (key) => rangeOf(`${claims}${escaped(key)}/`),
    queues: (start) => rangeOf(claims + escaped(start)),
    readClaim(name) {
      const [key = '', ...owner] = name.toString().slice(claims.length).split('/');
      if (owner.length === 0) return undefined;
      try {
        return { key: decodeURIComponent(key), owner: owner.join('/') };
      } catch {
        return undefined;
      }
    },
    base: Buffer.from(`${prefix}/base`),
    register: (name) => below('registers', escaped(name)),
    fence: (resource) => below('fences', escaped(resource)),
  };
}

/** Keys of users may contain "/", which separates the owner. Only that is escaped. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** All keys that begin with `start`. */
function rangeOf(start: string): Required<KeyRange> {
  const key = Buffer.from(start);
  // UTF-8 has no byte 0xff.
  return { key, rangeEnd: Buffer.concat([key, Buffer.of(0xff)]) };
}
