import { adapters } from '@locks/core/open';
import { printable } from '@locks/core/text';

const shape = /^([a-z][a-z0-9+.-]*:)([^?]*)(.*)$/is;
/** Hosts and a path, after a user and a password, which are not shown. */
const place =
  /^\/\/(?:[^/#]*@)?((?:[\w.-]*|\[[\da-f:.]+\])(?::\d{1,5})?(?:,(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)*(?:\/[\w.+-]*)*)$/i;

/**
 * A URL without its user, password and query, which may have another password. For a misspelt one,
 * where any part may be the password, only the scheme.
 */
export function shownUrl(url: string): string {
  const [, scheme = '', before = '', query = ''] = shape.exec(url.trim()) ?? [];
  // A file has no password, and its path may be anything.
  if (/^sqlite:$/i.test(scheme)) return printable(scheme + before);
  if (/^memory:$/i.test(scheme) && /^\/*$/.test(before)) return scheme + before;
  const shown = query.includes('@') && !before.includes('@') ? undefined : place.exec(before)?.[1];
  // Without a scheme, this may be a user or a password.
  const kind = isKnown(scheme) || (before.startsWith('//') && /^[a-z+.-]{1,16}:$/i.test(scheme)) ? scheme : '…';
  return shown === undefined ? kind.replace(/:$/, ':…') : `${kind}//${shown}`;
}

function isKnown(scheme: string): boolean {
  const name = scheme
    .toLowerCase()
    .replace(/^valkey/, 'redis')
    .slice(0, -1);
  return Object.values(adapters).some(({ schemes }) => schemes.includes(name));
}
