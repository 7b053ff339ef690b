/**
 * The characters that ZooKeeper refuses in a path, and `/` and `%`. `PathUtils.validatePath` sees
 * characters beyond U+FFFF as surrogates.
 */
const encoded = /[%/\u0000-\u001f\u007f-\u009f\u{e000}-\u{f8ff}\u{fff0}-\u{10ffff}]/gu;

/** The prefix of this package's other nodes beside the keys. */
const reserved = '@';

/** Names with a special meaning: in paths, and the system's node below "/". */
const taken = new Set(['.', '..', 'zookeeper']);

/** The node that raises tokens: one per root, beside the keys. */
export const baseName = '@base';

/** The folder of the registers, under the root. */
export const registersName = '@registers';

/** The node of a session, under the root: `<prefix><name of its process>-<session>`. */
export const processPrefix = '@process-';

const longestKey = 512;

/**
 * The name of a key's node: the key, with the characters that ZooKeeper refuses percent-encoded as
 * UTF-8. Different keys have different names.
 */
export function encodeKey(key: string): string {
  const name = key.replace(encoded, percentEncode);
  if (!name.startsWith(reserved) && !taken.has(name)) return name;
  const [first = ''] = name;
  return percentEncode(first) + name.slice(first.length);
}

/** The key with this name. `undefined`: the node is no key's. */
export function decodeKey(name: string): string | undefined {
  const key = decode(name);
  if (key === undefined || key === '' || key.includes('\0') || Buffer.byteLength(key) > longestKey) return undefined;
  return encodeKey(key) === name ? key : undefined;
}

/** The path of `name` under `parent`, which may be `/`. */
export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of the parent. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function decode(name: string): string | undefined {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function percentEncode(text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .replace(/../g, (byte) => `%${byte.toUpperCase()}`);
}
