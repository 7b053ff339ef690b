import { readNothing } from '../../src/wire/request.ts';
import type { Request } from '../../src/wire/request.ts';

/**
 * A server answers it by itself, and it has a number of its own: a session sends a `sync` instead.
 */
export const ping: Request<void> = { op: 11, xid: -2, what: 'a ping', write: () => {}, read: readNothing };
