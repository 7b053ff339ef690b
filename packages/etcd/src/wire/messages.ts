/** 64-bit numbers are decimal text. Keys and values are bytes. */
export interface Header {
  readonly revision: string;
  readonly raftTerm: string;
}

/** A key as the store has it. */
export interface KeyValue {
  readonly key: Buffer;
  readonly createRevision: string;
  readonly modRevision: string;
  readonly value: Buffer;
  /** `0`: none. */
  readonly lease: string;
}

/** A key, or all keys from `key` up to, but not including, `rangeEnd`. */
export interface KeyRange {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer;
}

/** Which keys to read. */
export interface RangeRequest extends KeyRange {
  readonly limit?: number;
  /** 1: ascending, 2: descending. */
  readonly sortOrder?: 1 | 2;
  /** 2: by create revision. */
  readonly sortTarget?: 2;
  /** Keys created later are left out. */
  readonly maxCreateRevision?: string;
}

/** The result of a read. */
export interface RangeAnswer {
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
}

/** Part of a transaction. */
export type Operation =
  | { readonly requestRange: RangeRequest }
  | { readonly requestPut: { readonly key: Buffer; readonly value: Buffer; readonly lease?: string } }
  | { readonly requestDeleteRange: KeyRange & { readonly prevKv?: boolean } };

/** A condition for all keys of a range. `result` is 0 for equal, 1 for greater, 2 for less. */
export type Compare = KeyRange & { readonly result: 0 | 1 | 2 } & (
    | { readonly target: 1; readonly createRevision: string }
    | { readonly target: 2; readonly modRevision: string }
    | { readonly target: 3; readonly value: Buffer }
  );

/** `success` if all of `compare` are true, else `failure`. */
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

/** The result of a transaction. */
export interface TxnAnswer {
  readonly header: Header;
  readonly succeeded: boolean;
  readonly responses: readonly {
    readonly responseRange?: RangeAnswer;
    readonly responseDeleteRange?: { readonly prevKvs: readonly KeyValue[] };
  }[];
}

/** A lease of `TTL` seconds. */
export interface LeaseGrantRequest {
  readonly TTL: number;
}

export interface LeaseRequest {
  readonly ID: string;
}

/** `TTL`: the remaining seconds. 0 or less: the lease does not exist. */
export interface LeaseAnswer {
  readonly ID: string;
  readonly TTL: string;
}

/** The header is from before the restart of the lease. */
export interface KeepAliveAnswer extends LeaseAnswer {
  readonly header: Header;
}

/** A request on a stream of watches. */
export type WatchRequest =
  | { readonly createRequest: KeyRange & { readonly startRevision: string; readonly watchId: number } }
  | { readonly cancelRequest: { readonly watchId: number } };

/** An answer on a stream of watches. */
export interface WatchAnswer {
  readonly watchId: string;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0: the start revision of the watch was compacted. */
  readonly compactRevision: string;
  readonly cancelReason: string;
  /** `type` is 0 for a change, 1 for a deletion. */
  readonly events: readonly { readonly type: number; readonly kv: KeyValue }[];
}

/** Credentials. */
export interface AuthenticateRequest {
  readonly name: string;
  readonly password: string;
}

/** `leader` is 0 if the member knows none. */
export interface StatusAnswer {
  readonly version: string;
  readonly leader: string;
}

/** The members that are in the cluster. */
export interface MemberListAnswer {
  readonly members: readonly { readonly ID: string }[];
}

/** `alarm` is 1 for a full database, 2 for a corrupt one. */
export interface AlarmAnswer {
  readonly alarms: readonly { readonly alarm: number }[];
}
