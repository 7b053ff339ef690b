import { printable } from '@locks/core/text';
import type { IncomingMessage } from 'node:http';
import type { StateViews } from '../looks/state-view.ts';
import { prefixesOf } from '../looks/looks.ts';
import { Refusal } from './answers.ts';
import { ownHeader } from './same-origin.ts';

/** The leases that may be broken. */
export interface Rights {
  readonly write: boolean;
  readonly prefix: string;
}

/**
 * Ends the lease that `query` names by `key`, `owner` and `mode`. `confirm` is the key again, as
 * typed by the operator. The request has no body, as a parser of the service may have read it.
 * @throws `Refusal`, and what `forceRelease` rejects with.
 */
export async function breakLease(
  request: IncomingMessage,
  query: URLSearchParams,
  views: StateViews,
  { write, prefix }: Rights,
): Promise<{ readonly freed: boolean }> {
  if (!write) throw new Refusal(403, 'This page is read-only. Start it with "write" to break leases.');
  if (request.headers[ownHeader] === undefined) throw new Refusal(403, `The header ${ownHeader} is missing.`);
  const [key = '', owner = '', mode = '', confirm] = ['key', 'owner', 'mode', 'confirm'].map(
    (name) => query.get(name) ?? undefined,
  );
  if (!prefixesOf(prefix).some((each) => key.startsWith(each)))
    throw new Refusal(403, `This page has only keys that begin with ${printable(prefix)}.`);
  if (confirm !== printable(key)) throw new Refusal(400, 'Type the name of the key to confirm.');
  if (mode !== 'exclusive' && mode !== 'shared') throw new Refusal(400, 'The mode must be "exclusive" or "shared".');
  return { freed: await views.release({ key, owner, mode }) };
}
