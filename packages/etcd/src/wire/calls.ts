import type {
  AlarmAnswer,
  AuthenticateRequest,
  KeepAliveAnswer,
  LeaseAnswer,
  LeaseGrantRequest,
  LeaseRequest,
  MemberListAnswer,
  RangeAnswer,
  RangeRequest,
  StatusAnswer,
  TxnAnswer,
  TxnRequest,
  WatchAnswer,
  WatchRequest,
} from './messages.ts';
import { decode, encode, message, oneOf, some } from './protobuf.ts';
import type { MessageType } from './protobuf.ts';

// The part of etcd's API that this package uses, version 3.4 and later. Unused fields are left out.
// The numbers are etcd's.

const none = message({});
const header = message({ revision: [3, 'int64'], raftTerm: [4, 'int64'] });
const keyValue = message({
  key: [1, 'bytes'],
  createRevision: [2, 'int64'],
  modRevision: [3, 'int64'],
  value: [5, 'bytes'],
  lease: [6, 'int64'],
});
const rangeRequest = message({
  key: [1, 'bytes'],
  rangeEnd: [2, 'bytes'],
  limit: [3, 'int64'],
  sortOrder: [5, 'int32'],
  sortTarget: [6, 'int32'],
  maxCreateRevision: [13, 'int64'],
});
const rangeAnswer = message({ kvs: some(2, keyValue), more: [3, 'bool'] });
const operation = message({
  requestRange: [1, rangeRequest],
  requestPut: [2, message({ key: [1, 'bytes'], value: [2, 'bytes'], lease: [3, 'int64'] })],
  requestDeleteRange: [3, message({ key: [1, 'bytes'], rangeEnd: [2, 'bytes'], prevKv: [3, 'bool'] })],
});
const compare = message({
  result: [1, 'int32'],
  target: [2, 'int32'],
  key: [3, 'bytes'],
  createRevision: [5, 'int64'],
  modRevision: [6, 'int64'],
  value: [7, 'bytes'],
  rangeEnd: [64, 'bytes'],
});
const operationAnswer = oneOf({
  responseRange: [1, rangeAnswer],
  responsePut: [2, none],
  responseDeleteRange: [3, message({ prevKvs: some(3, keyValue) })],
});
const watchCreate = message({
  key: [1, 'bytes'],
  rangeEnd: [2, 'bytes'],
  startRevision: [3, 'int64'],
  watchId: [7, 'int64'],
});
const lease = message({ ID: [1, 'int64'] });

export interface Method<Request, Response> {
  /** As gRPC names it: `/etcdserverpb.KV/Txn`. */
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

function method<Request extends object, Response>(
  path: string,
  request: MessageType,
  response: MessageType,
): Method<Request, Response> {
  return {
    path: `/etcdserverpb.${path}`,
    serialize: (value) => encode(request, value),
    deserialize: (bytes) => decode(response, bytes) as Response,
  };
}

/** A transaction on keys. */
export const txn: Method<TxnRequest, TxnAnswer> = method(
  'KV/Txn',
  message({ compare: some(1, compare), success: some(2, operation), failure: some(3, operation) }),
  message({ header: [1, header], succeeded: [2, 'bool'], responses: some(3, operationAnswer) }),
);
/** A linearizable read. */
export const range: Method<RangeRequest, RangeAnswer> = method('KV/Range', rangeRequest, rangeAnswer);
/** A new lease. */
export const leaseGrant: Method<LeaseGrantRequest, LeaseAnswer> = method(
  'Lease/LeaseGrant',
  message({ TTL: [1, 'int64'], ID: [2, 'int64'] }),
  message({ ID: [2, 'int64'], TTL: [3, 'int64'] }),
);
/** Ends a lease, and removes its keys. */
export const leaseRevoke: Method<LeaseRequest, object> = method('Lease/LeaseRevoke', lease, none);
/** Returns the seconds that a lease has left. */
export const leaseTimeToLive: Method<LeaseRequest, Pick<LeaseAnswer, 'TTL'>> = method(
  'Lease/LeaseTimeToLive',
  lease,
  message({ TTL: [3, 'int64'] }),
);
/** Restarts leases: a stream. */
export const leaseKeepAlive: Method<LeaseRequest, KeepAliveAnswer> = method(
  'Lease/LeaseKeepAlive',
  lease,
  message({ header: [1, header], ID: [2, 'int64'], TTL: [3, 'int64'] }),
);
/** Reports changes of keys: a stream. */
export const watch: Method<WatchRequest, WatchAnswer> = method(
  'Watch/Watch',
  oneOf({ createRequest: [1, watchCreate], cancelRequest: [2, message({ watchId: [1, 'int64'] })] }),
  message({
    watchId: [2, 'int64'],
    created: [3, 'bool'],
    canceled: [4, 'bool'],
    compactRevision: [5, 'int64'],
    cancelReason: [6, 'string'],
    events: some(11, message({ type: [1, 'int32'], kv: [2, keyValue] })),
  }),
);
/** A token for a user name and password. */
export const authenticate: Method<AuthenticateRequest, { readonly token: string }> = method(
  'Auth/Authenticate',
  message({ name: [1, 'string'], password: [2, 'string'] }),
  message({ token: [2, 'string'] }),
);
/** The status of a member. */
export const status: Method<object, StatusAnswer> = method(
  'Maintenance/Status',
  none,
  message({ version: [2, 'string'], leader: [4, 'int64'] }),
);
/** The members of the cluster. */
export const memberList: Method<object, MemberListAnswer> = method(
  'Cluster/MemberList',
  none,
  message({ members: some(2, lease) }),
);
/** The alarms that are raised. */
export const alarms: Method<object, AlarmAnswer> = method(
  'Maintenance/Alarm',
  none,
  message({ alarms: some(2, message({ alarm: [2, 'int32'] })) }),
);
