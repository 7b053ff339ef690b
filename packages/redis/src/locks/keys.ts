import { LockError } from '@locks/core';

const special: Readonly<Record<string, string>> = { '{': '%7B', '}': '%7D', '%': '%25' };

/** The companion keys that only some scripts touch: see `lua/algorithm.lua`. */
const companions = ['deadlines', 'shared', 'tokens', 'terms'];

/** The names of a key and its companions in Redis. */
export interface KeyNames {
  /** The plain string that any `SET NX` client meets. */
  readonly main: (key: string) => string;
  /** The first three keys of the scripts: the main key, its counter and its queue. */
  readonly few: (key: string) => readonly [main: string, token: string, queue: string];
  /** The main key and its queue. */
  readonly two: (key: string) => readonly [main: string, queue: string];
  /** All keys of the scripts, in their order: see `lua/algorithm.lua`. */
  readonly all: (key: string) => readonly string[];
  /** The marker of option `restartGuard`: see `lua/restart-guard.lua`. */
  readonly marker: string;
  /** The key of a register. */
  readonly register: (name: string) => string;
  /** The key behind a main name. */
  readonly keyOf: (main: string) => string;
  /** The main name of the key that a queue belongs to; `undefined` for another name. */
  readonly mainOfQueue: (name: string) => string | undefined;
}

/**
 * The main key is `<prefix><key>`, without a hash tag; its companions are `{<prefix><key>}:queue`
 * and so on. A companion's tag is the whole main name, client prefix included, so all are in one
 * Cluster slot. Braces in keys would break that. No key is empty, so `{<prefix>}:server` and
 * `{<prefix>}:register:…` belong to none.
 */
export function keyNames(prefix: string, clientPrefix: string): KeyNames {
  const main = (key: string): string => prefix + withoutBraces(key);
  const open = `{${clientPrefix}`;
  const two: KeyNames['two'] = (key) => {
    const name = main(key);
    return [name, `${open}${name}}:queue`];
  };
  const few: KeyNames['few'] = (key) => {
    const [name, queue] = two(key);
    return [name, `${open}${name}}:token`, queue];
  };
  return {
    main,
    few,
    two,
    all(key) {
      const [name, token, queue] = few(key);
      const tag = `${open}${name}}`;
      return [name, token, queue, ...companions.map((companion) => `${tag}:${companion}`)];
    },
    marker: `${open}${prefix}}:server`,
    register: (name) => `${open}${prefix}}:register:${withoutBraces(name)}`,
    keyOf: (name) => name.slice(prefix.length).replaceAll(/%(7B|7D|25)/g, (code) => decodeURIComponent(code)),
    mainOfQueue: (name) =>
      name.startsWith(open) && name.endsWith('}:queue') ? name.slice(open.length, -'}:queue'.length) : undefined,
  };
}

function withoutBraces(text: string): string {
  return /[{}%]/.test(text) ? text.replaceAll(/[{}%]/g, (character) => special[character] ?? character) : text;
}

/**
 * Why a key cannot be locked beside another library, which uses it unchanged: the two would not
 * exclude each other.
 */
export function notShared(key: string): LockError | undefined {
  const stored = withoutBraces(key);
  if (stored === key) return undefined;
  return new LockError(
    'LOCK_INVALID',
    `Key "${key}" would be stored as "${stored}", where other libraries use "${key}": both could hold it. With an empty "prefix" or "comingFrom", take keys without "{", "}" and "%".`,
    { key },
  );
}

/** `text` as a SCAN pattern that matches only itself. */
export function asPattern(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}
