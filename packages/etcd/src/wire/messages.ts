/** Numbers of 64 bits are decimal text. Keys and values are bytes. */
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

/** A key, or all from `key` on that are less than `rangeEnd`. */
export interface KeyRange {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer;
}

/** Which keys to read. */
export interface RangeRequest extends KeyRange {
  readonly limit?: number;
  /** 1: ascending, 2: descending. */
  readonly sortOrder?: 1 | 2;
  /** 2: by the revision that made the key. */
  readonly sortTarget?: 2;
  /** Keys that were made later are left out. */
  readonly maxCreateRevision?: string;
}

/** What was read. */
export interface RangeAnswer {
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
}

/** Part of a transaction. */
export type Operation =
  | { readonly requestRange: RangeRequest }
  | { readonly requestPut: { readonly key: Buffer; readonly value: Buffer; readonly lease?: string } }
  | { readonly requestDeleteRange: KeyRange & { readonly prevKv?: boolean } };

/** What all keys of a range must be. `result` is 0 for equal, 1 for greater, 2 for less. */
export type Compare = KeyRange & { readonly result: 0 | 1 | 2 } & (
    | { readonly target: 1; readonly createRevision: string }
    | { readonly target: 2; readonly modRevision: string }
    | { readonly target: 3; readonly value: Buffer }
  );

/** `success` where all of `compare` are true, else `failure`. */
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

/** What a transaction came to. */
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

/** `TTL`: what is left, in seconds. 0 or less: there is no such lease. */
export interface LeaseAnswer {
  readonly ID: string;
  readonly TTL: string;
}

/** The header is of the moment before the lease was restarted. */
export interface KeepAliveAnswer extends LeaseAnswer {
  readonly header: Header;
}

/** What a client says on a stream of watches. */
export type WatchRequest =
  | { readonly createRequest: KeyRange & { readonly startRevision: string; readonly watchId: number } }
  | { readonly cancelRequest: { readonly watchId: number } };

/** What the server says there. */
export interface WatchAnswer {
  readonly watchId: string;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0: what the watch was to begin with is not kept any more. */
  readonly compactRevision: string;
  readonly cancelReason: string;
  /** `type` is 0 for a change, 1 for the end of the key. */
  readonly events: readonly { readonly type: number; readonly kv: KeyValue }[];
}

/** Credentials. */
export interface AuthenticateRequest {
  readonly name: string;
  readonly password: string;
}

/** `leader` is 0 where the member knows none. */
export interface StatusAnswer {
  readonly version: string;
  readonly leader: string;
}

/** The members that are in the cluster. */
export interface MemberListAnswer {
  readonly members: readonly { readonly ID: string }[];
}

/** `alarm` is 1 for a database that is full, 2 for one that is corrupt. */
export interface AlarmAnswer {
  readonly alarms: readonly { readonly alarm: number }[];
}
