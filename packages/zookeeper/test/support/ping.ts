import { readNothing } from '../../src/wire/request.ts';
import type { Request } from '../../src/wire/request.ts';

/**
 * A server answers it without its leader, and it has a number of its own. So sessions send a `sync`
 * instead.
 */
export const ping: Request<void> = {
  op: 11,
  xid: -2,
  call: { type: 'sync', path: '/' },
  what: 'a ping',
  write: () => {},
  read: readNothing,
};
