import type { CheckResult } from './diagnosis.ts';

/** A server that is so full refuses clients soon. With more, the warning comes later. */
const nearlyFull = 0.9;

/** Whether `host` is this machine: what goes there is not seen by others. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('/');
}

/** The result for a connection to `host`. `way` says how to turn TLS on. */
export function encryption(host: string, secure: boolean, way: string): CheckResult {
  if (secure) return { level: 'ok', what: 'The connection uses TLS.' };
  if (isLoopback(host)) return { level: 'ok', what: 'The connection does not leave this host.' };
  return {
    level: 'warning',
    what: `The connection to ${host} has no TLS: passwords and keys cross the network in clear text.`,
    advice: way,
  };
}

/** The result for `count` members, a majority of which must agree. `members` says what they are. */
export function majority(count: number, members: string): CheckResult {
  const spare = Math.ceil(count / 2) - 1;
  const what = `${Math.floor(count / 2) + 1} of ${count} ${members} must agree: locks go on while ${spare} are down`;
  if (count % 2 === 1 && count > 1) return { level: 'ok', what: `${what}.` };
  if (count === 1) return { level: 'warning', what: `${what}.`, advice: 'Have three.' };
  return { level: 'warning', what: `${what}, as with ${count - 1}.`, advice: `Have ${count + 1}, or ${count - 1}.` };
}

/** The result for a server that has `used` of at most `most` connections. */
export function connectionsLeft(used: number, most: number, advice: string): CheckResult {
  const what = `${used} of ${most} connections are used`;
  if (most === 0 || used < nearlyFull * most) return { level: 'ok', what: `${what}.` };
  return { level: 'warning', what: `${what}: further ones are refused.`, advice };
}
