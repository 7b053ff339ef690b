import { decode, encode } from './protobuf.ts';
import type { Field, Kind, MessageType } from './protobuf.ts';

const message = (fields: Readonly<Record<string, Field>>): MessageType => ({ fields });
/** One of these fields is there, as its sender chose. */
const oneOf = (fields: Readonly<Record<string, Field>>): MessageType => ({ fields, oneOf: true });
const some = (number: number, kind: Kind): Field => [number, kind, 'repeated'];

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
const rangeResponse = message({ header: [1, header], kvs: some(2, keyValue), more: [3, 'bool'] });
const putRequest = message({ key: [1, 'bytes'], value: [2, 'bytes'], lease: [3, 'int64'] });
const deleteRangeRequest = message({ key: [1, 'bytes'], rangeEnd: [2, 'bytes'], prevKv: [3, 'bool'] });
const deleteRangeResponse = message({ prevKvs: some(3, keyValue) });
const operation = message({
  requestRange: [1, rangeRequest],
  requestPut: [2, putRequest],
  requestDeleteRange: [3, deleteRangeRequest],
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
const watchCreate = message({
  key: [1, 'bytes'],
  rangeEnd: [2, 'bytes'],
  startRevision: [3, 'int64'],
  watchId: [7, 'int64'],
});
const event = message({ type: [1, 'int32'], kv: [2, keyValue] });
const member = message({ ID: [1, 'int64'] });

type CallName =
  | 'Range'
  | 'Txn'
  | 'LeaseGrant'
  | 'LeaseRevoke'
  | 'LeaseKeepAlive'
  | 'LeaseTimeToLive'
  | 'Watch'
  | 'Authenticate'
  | 'Status'
  | 'MemberList'
  | 'Alarm';

/**
 * What this package uses of etcd's API, version 3.4 and later. Fields that it does not read are
 * left out. The numbers are etcd's.
 */
const messages: Readonly<Record<`${CallName}${'Request' | 'Response'}`, MessageType>> = {
  RangeRequest: rangeRequest,
  RangeResponse: rangeResponse,
  TxnRequest: message({ compare: some(1, compare), success: some(2, operation), failure: some(3, operation) }),
  TxnResponse: message({
    header: [1, header],
    succeeded: [2, 'bool'],
    responses: some(
      3,
      oneOf({
        responseRange: [1, rangeResponse],
        responsePut: [2, message({})],
        responseDeleteRange: [3, deleteRangeResponse],
      }),
    ),
  }),
  LeaseGrantRequest: message({ TTL: [1, 'int64'], ID: [2, 'int64'] }),
  LeaseGrantResponse: message({ header: [1, header], ID: [2, 'int64'], TTL: [3, 'int64'] }),
  LeaseRevokeRequest: message({ ID: [1, 'int64'] }),
  LeaseRevokeResponse: message({}),
  LeaseKeepAliveRequest: message({ ID: [1, 'int64'] }),
  LeaseKeepAliveResponse: message({ header: [1, header], ID: [2, 'int64'], TTL: [3, 'int64'] }),
  LeaseTimeToLiveRequest: message({ ID: [1, 'int64'] }),
  LeaseTimeToLiveResponse: message({ TTL: [3, 'int64'] }),
  WatchRequest: oneOf({
    createRequest: [1, watchCreate],
    cancelRequest: [2, message({ watchId: [1, 'int64'] })],
    progressRequest: [3, message({})],
  }),
  WatchResponse: message({
    watchId: [2, 'int64'],
    created: [3, 'bool'],
    canceled: [4, 'bool'],
    compactRevision: [5, 'int64'],
    cancelReason: [6, 'string'],
    events: some(11, event),
  }),
  AuthenticateRequest: message({ name: [1, 'string'], password: [2, 'string'] }),
  AuthenticateResponse: message({ token: [2, 'string'] }),
  StatusRequest: message({}),
  StatusResponse: message({
    version: [2, 'string'],
    leader: [4, 'int64'],
  }),
  MemberListRequest: message({}),
  MemberListResponse: message({ members: some(2, member) }),
  AlarmRequest: message({}),
  AlarmResponse: message({ alarms: some(2, message({ alarm: [2, 'int32'] })) }),
};

/** One kind of call. */
export interface Method<Request, Response> {
  /** As gRPC names it: `/etcdserverpb.KV/Txn`. */
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

/**
 * The call `path` of `/etcdserverpb.`, from messages `<name>Request` to messages `<name>Response`.
 */
export function method<Request extends object, Response>(path: string, name: CallName): Method<Request, Response> {
  return {
    path: `/etcdserverpb.${path}`,
    serialize: (request) => encode(messages[`${name}Request`], request),
    deserialize: (bytes) => decode(messages[`${name}Response`], bytes) as Response,
  };
}
