/** Numbers and names of Java's `KeeperException.Code`, as of ZooKeeper 3.9. */
const answers = {
  '-6': 'UNIMPLEMENTED',
  '-8': 'BAD_ARGUMENTS',
  '-101': 'NO_NODE',
  '-102': 'NO_AUTH',
  '-103': 'BAD_VERSION',
  '-108': 'NO_CHILDREN_FOR_EPHEMERALS',
  '-110': 'NODE_EXISTS',
  '-111': 'NOT_EMPTY',
  '-114': 'INVALID_ACL',
  '-120': 'EPHEMERAL_ON_LOCAL_SESSION',
  '-121': 'NO_WATCHER',
  '-125': 'QUOTA_EXCEEDED',
  '-127': 'THROTTLED',
} as const;

/**
 * After these, the state of the request, the session and the server is unknown: the connection
 * ends.
 */
const fatal = {
  '-1': 'SYSTEM_ERROR',
  '-2': 'RUNTIME_INCONSISTENCY',
  '-3': 'DATA_INCONSISTENCY',
  '-4': 'CONNECTION_LOSS',
  '-5': 'MARSHALLING_ERROR',
  '-7': 'OPERATION_TIMEOUT',
  '-12': 'UNKNOWN_SESSION',
  '-112': 'SESSION_EXPIRED',
  '-115': 'AUTH_FAILED',
  '-118': 'SESSION_MOVED',
  '-119': 'NOT_READ_ONLY',
  '-122': 'REQUEST_TIMEOUT',
  '-124': 'SASL_REQUIRED',
} as const;

/**
 * The errors with which a server answers one request and continues. `OTHER`: a code that this
 * version does not know.
 */
export type ServerError = (typeof answers)[keyof typeof answers] | 'OTHER';

/** The errors after which a connection cannot be used. */
export type FatalCode = (typeof fatal)[keyof typeof fatal];

/** The name of an error that ends the connection; `undefined` for one that answers a request. */
export function fatalCode(code: number): FatalCode | undefined {
  return (fatal as Readonly<Record<number, FatalCode>>)[code];
}

/** The name of an error that answers a request. */
export function serverError(code: number): ServerError {
  return (answers as Readonly<Record<number, ServerError>>)[code] ?? 'OTHER';
}
