import { errorText } from '../errors/foreign-errors.ts';
import { isShown } from '../options/unknown-option.ts';
import type { Backend } from './settings.ts';

/** A well-formed URL: secrets may be before its "@", and in the values of its query. */
const proper =
  /^[a-z][\w+.-]*:\/\/(?:([^/?#@]*)@)?(?:[\w.-]*|\[[\da-f:.]+\])(?::\d+)?(?:,[\w.-]+(?::\d+)?)*(?:\/[\w./+-]*)?(?:\?([^#?@]*))?$/i;
/** Names of options that contain a secret. */
const secretName = /pass|pwd|secret|token|auth|cred|key|tls|ssl/i;
/** In characters: a shorter part of a secret may occur in any text. */
const shortest = 4;

/**
 * `error` of a third-party adapter, without the secrets in the URL and the options of `backend`.
 */
export function withoutSecrets(error: unknown, { url, options }: Pick<Backend, 'url' | 'options'>): unknown {
  // What was read as the name of an option is a part of a malformed URL.
  const isProper = Object.keys(options).every((name) => /^\w+$/.test(name));
  const secrets = [...(url === undefined ? [] : secretsOfUrl(url, isProper)), ...textsIn(options, false)];
  const whole = secrets.flatMap(spellings);
  const parts = whole.flatMap((text) => text.split(/[^\p{L}\d]+/u)).filter((part) => part.length >= shortest);
  const hidden = [...whole, ...parts].filter((text) => text !== '');
  hidden.sort((one, other) => other.length - one.length);
  if (hidden.length === 0) return error;
  const bare = new Error(hidden.reduce((left, secret) => left.replaceAll(secret, '***'), errorText(error)));
  if (error instanceof Error) bare.name = error.name;
  return bare;
}

/** In a malformed URL, everything after the scheme may be the password. */
function secretsOfUrl(url: string, isProper: boolean): readonly string[] {
  const [whole, user = '', query = ''] = (isProper ? proper.exec(url) : null) ?? [];
  if (whole === undefined) return [url.replace(/^[a-z][\w+.-]*:\/*/i, '')];
  const [, name = user, password = ''] = /^(.*?)(?::|%3A)(.*)$/is.exec(user) ?? [];
  return [
    password === '' && isShown(name) ? '' : user,
    password,
    ...query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1)),
  ];
}

/** The texts in `value`, if it `isSecret`, and in properties with secret names. */
function textsIn(value: unknown, isSecret: boolean): readonly string[] {
  if (typeof value === 'string') return isSecret ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, isSecret || secretName.test(name)));
}

/** How `secret` may be printed: as it is, decoded, and quoted. */
function spellings(secret: string): readonly string[] {
  const decoded = secret.replaceAll(/(?:%[\da-f]{2})+/gi, decode);
  const all = decoded === secret ? [secret] : [secret, ...spellings(decoded)];
  return [...all, JSON.stringify(secret).slice(1, -1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return ' ';
  }
}
