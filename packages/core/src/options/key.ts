import { LockError } from '../errors/lock-error.ts';

const longestKey = 512;

/**
 * Throws `LOCK_INVALID` unless `key` is a string of 1 to 512 UTF-8 bytes with no NUL and no lone
 * surrogate.
 */
export function checkKey(key: unknown): asserts key is string {
  if (typeof key !== 'string') {
    throw new LockError('LOCK_INVALID', `A key must be a string, not ${describe(key)}.`);
  }
  if (key.length === 0) throw new LockError('LOCK_INVALID', 'A key must not be empty.', { key });
  // A UTF-16 unit takes at most 3 bytes, so most keys need no counting.
  if (key.length * 3 > longestKey && Buffer.byteLength(key) > longestKey) {
    const bytes = Buffer.byteLength(key);
    throw new LockError(
      'LOCK_INVALID',
      `The key ${preview(key)} has ${bytes} UTF-8 bytes; at most ${longestKey} are allowed. Lock a hash of it instead.`,
      { key },
    );
  }
  if (key.includes('\0')) {
    throw new LockError('LOCK_INVALID', `The key ${preview(key)} contains a NUL character.`, { key });
  }
  if (!key.isWellFormed()) {
    throw new LockError(
      'LOCK_INVALID',
      `The key ${preview(key)} contains a lone surrogate, which UTF-8 cannot encode. Use well-formed text.`,
      { key },
    );
  }
}

/** Whether `checkKey` accepts it. */
export function isKey(value: string): boolean {
  try {
    checkKey(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * `name` if it is short enough for a key, else `hashed` and the hash of `text`. No name may begin
 * with `hashed`.
 */
export function shortKey(name: string, hashed: string, text: string): string {
  // A UTF-16 unit takes at most 3 bytes, so most names need no counting.
  if (name.length * 3 <= longestKey || Buffer.byteLength(name) <= longestKey) return name;
  // Loaded when first needed: it takes longer than this whole package.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${hashed}${createHash('sha256').update(text).digest('base64url')}`;
}

/** A value for error messages: its type, where the value itself is not helpful. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return preview(value);
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  if (typeof value === 'bigint') return `${value}n`;
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

function preview(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
