/**
 * What ZooKeeper refuses in a path (`PathUtils.validatePath`: characters beyond U+FFFF are surrogates there), and what separates nodes
 * or escapes.
 */
const encoded = /[%/\u0000-\u001f\u007f-\u009f\u{e000}-\u{f8ff}\u{fff0}-\u{10ffff}]/gu;

/** Names of this package's own nodes beside the keys begin with it. */
const reserved = '@';

/** Names that as a whole mean something else: to paths, and the system's own node below "/". */
const taken = new Set(['.', '..', 'zookeeper']);

/** The node that raises tokens: one per root, beside the keys. */
export const baseName = '@base';

/** What a holder without a line has besides the key's node, under the same root: `<prefix><uuid of its owner>`. */
export const holdPrefix = '@hold-';

const longestKey = 512;

/** The name of a key's node: the key itself, with what ZooKeeper cannot take percent-encoded as UTF-8. Different keys have different names. */
export function encodeKey(key: string): string {
  const name = key.replace(encoded, percentEncode);
  if (!name.startsWith(reserved) && !taken.has(name)) return name;
  const [first = ''] = name;
  return percentEncode(first) + name.slice(first.length);
}

/** The key that has this name; `undefined` for names that no key has, of other programs' nodes or our own. */
export function decodeKey(name: string): string | undefined {
  const key = decode(name);
  if (key === undefined || key === '' || key.includes('\0') || Buffer.byteLength(key) > longestKey) return undefined;
  return encodeKey(key) === name ? key : undefined;
}

/** The path of `name` under `parent`, which may be `/`. */
export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of the node above. */
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
