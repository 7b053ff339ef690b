import { readNothing } from './request.ts';
import type { Request } from './request.ts';

/** Ends the session, and with it its ephemeral nodes. */
export const closeSession: Request<void> = {
  op: -11,
  call: { type: 'closeSession' },
  what: 'the end of the session',
  write: () => {},
  read: readNothing,
};

/**
 * Sets watches again after a reconnect. Watches of nodes that changed since `lastZxid` fire
 * immediately, before the answer. A server closes the connection for a request over 1 MiB: send
 * several.
 */
export function setWatches(lastZxid: bigint, paths: readonly string[]): Request<void> {
  return {
    op: 101,
    xid: -8,
    call: { type: 'setWatches', lastZxid, paths },
    what: 'the watches',
    write(writer) {
      writer.long(lastZxid);
      writer.vector(paths, (path) => writer.string(path));
      // Watches of missing nodes and of lists of children are never set.
      writer.int(0);
      writer.int(0);
    },
    read: readNothing,
  };
}

/** Removes the watches that `getData` and `exists` set; `NO_WATCHER` if there is none. */
export function removeWatches(path: string): Request<void> {
  return {
    op: 18,
    call: { type: 'removeWatches', path },
    what: `the end of the watch of "${path}"`,
    write(writer) {
      writer.string(path);
      // WatcherType.Data
      writer.int(2);
    },
    read: readNothing,
  };
}
