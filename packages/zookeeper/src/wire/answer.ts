/** The errors with which a server answers one request and goes on. */
export type ServerError =
  | 'NO_NODE'
  | 'NODE_EXISTS'
  | 'NOT_EMPTY'
  | 'BAD_VERSION'
  | 'NO_AUTH'
  | 'INVALID_ACL'
  | 'NO_CHILDREN_FOR_EPHEMERALS'
  | 'BAD_ARGUMENTS'
  | 'NO_WATCHER'
  | 'UNIMPLEMENTED'
  | 'QUOTA_EXCEEDED'
  | 'THROTTLED'
  /** A code that this version does not know: `code` tells which. */
  | 'EPHEMERAL_ON_LOCAL_SESSION'
  | 'OTHER';

/** A server's answer to one request: certain, whichever it is. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly zxid: bigint }
  | { readonly ok: false; readonly error: ServerError; readonly code: number; readonly zxid: bigint };
