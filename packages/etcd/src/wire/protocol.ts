import protobuf from 'protobufjs';

/**
 * What this package uses of etcd's API, version 3.4 and later. Fields that it does not read are
 * left out. The numbers are etcd's.
 */
const definitions = `
syntax = "proto3";
message ResponseHeader { int64 revision = 3; uint64 raft_term = 4; }
message KeyValue { bytes key = 1; int64 create_revision = 2; int64 mod_revision = 3; bytes value = 5; int64 lease = 6; }

message RangeRequest { bytes key = 1; bytes range_end = 2; int64 limit = 3; int32 sort_order = 5; int32 sort_target = 6; bool keys_only = 8; int64 max_create_revision = 13; }
message RangeResponse { ResponseHeader header = 1; repeated KeyValue kvs = 2; bool more = 3; }
message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; }
message PutResponse {}
message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; bool prev_kv = 3; }
message DeleteRangeResponse { repeated KeyValue prev_kvs = 3; }
message RequestOp { oneof request { RangeRequest request_range = 1; PutRequest request_put = 2; DeleteRangeRequest request_delete_range = 3; } }
message ResponseOp { oneof response { RangeResponse response_range = 1; PutResponse response_put = 2; DeleteRangeResponse response_delete_range = 3; } }
message Compare {
  int32 result = 1; int32 target = 2; bytes key = 3;
  oneof target_union { int64 version = 4; int64 create_revision = 5; int64 mod_revision = 6; bytes value = 7; int64 lease = 8; }
  bytes range_end = 64;
}
message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; repeated RequestOp failure = 3; }
message TxnResponse { ResponseHeader header = 1; bool succeeded = 2; repeated ResponseOp responses = 3; }

message LeaseGrantRequest { int64 TTL = 1; int64 ID = 2; }
message LeaseGrantResponse { ResponseHeader header = 1; int64 ID = 2; int64 TTL = 3; }
message LeaseRevokeRequest { int64 ID = 1; }
message LeaseRevokeResponse {}
message LeaseKeepAliveRequest { int64 ID = 1; }
message LeaseKeepAliveResponse { ResponseHeader header = 1; int64 ID = 2; int64 TTL = 3; }
message LeaseTimeToLiveRequest { int64 ID = 1; }
message LeaseTimeToLiveResponse { int64 TTL = 3; }

message WatchRequest { oneof request { WatchCreateRequest create_request = 1; WatchCancelRequest cancel_request = 2; WatchProgressRequest progress_request = 3; } }
message WatchCreateRequest { bytes key = 1; bytes range_end = 2; int64 start_revision = 3; int64 watch_id = 7; }
message WatchCancelRequest { int64 watch_id = 1; }
message WatchProgressRequest {}
message Event { int32 type = 1; KeyValue kv = 2; }
message WatchResponse { int64 watch_id = 2; bool created = 3; bool canceled = 4; int64 compact_revision = 5; string cancel_reason = 6; repeated Event events = 11; }

message AuthenticateRequest { string name = 1; string password = 2; }
message AuthenticateResponse { string token = 2; }
message StatusRequest {}
message StatusResponse { string version = 2; int64 db_size = 3; uint64 leader = 4; int64 db_size_quota = 12; }
message MemberListRequest {}
message Member { uint64 ID = 1; bool is_learner = 5; }
message MemberListResponse { repeated Member members = 2; }
message AlarmRequest {}
message AlarmMember { int32 alarm = 2; }
message AlarmResponse { repeated AlarmMember alarms = 2; }
`;

/** One kind of call. */
export interface Method<Request, Response> {
  /** As gRPC names it: `/etcdserverpb.KV/Txn`. */
  readonly path: string;
  readonly serialize: (request: Request) => Buffer;
  readonly deserialize: (bytes: Buffer) => Response;
}

let root: protobuf.Root | undefined;

/**
 * The call `path` of `/etcdserverpb.`, from messages `<name>Request` to messages `<name>Response`.
 */
export function method<Request extends object, Response>(path: string, name: string): Method<Request, Response> {
  const codec = (kind: string): protobuf.Type => {
    root ??= protobuf.parse(definitions).root;
    return root.lookupType(name + kind);
  };
  return {
    path: `/etcdserverpb.${path}`,
    serialize: (request) => {
      const type = codec('Request');
      return Buffer.from(type.encode(type.fromObject(request)).finish());
    },
    deserialize: (bytes) => {
      const type = codec('Response');
      // Lease ids have 63 bits.
      return type.toObject(type.decode(bytes), { longs: String, defaults: true, arrays: true }) as Response;
    },
  };
}
