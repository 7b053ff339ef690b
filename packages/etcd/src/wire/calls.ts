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
import { method } from './protocol.ts';
import type { Method } from './protocol.ts';

/** A transaction on keys. */
export const txn: Method<TxnRequest, TxnAnswer> = method('KV/Txn', 'Txn');
/** A linearizable read. */
export const range: Method<RangeRequest, RangeAnswer> = method('KV/Range', 'Range');
/** A new lease. */
export const leaseGrant: Method<LeaseGrantRequest, LeaseAnswer> = method('Lease/LeaseGrant', 'LeaseGrant');
/** Ends a lease, and removes its keys. */
export const leaseRevoke: Method<LeaseRequest, object> = method('Lease/LeaseRevoke', 'LeaseRevoke');
/** Tells the seconds that a lease has left. */
export const leaseTimeToLive: Method<LeaseRequest, Pick<LeaseAnswer, 'TTL'>> = method(
  'Lease/LeaseTimeToLive',
  'LeaseTimeToLive',
);
/** Restarts leases: a stream. */
export const leaseKeepAlive: Method<LeaseRequest, KeepAliveAnswer> = method('Lease/LeaseKeepAlive', 'LeaseKeepAlive');
/** Hears of changes of keys: a stream. */
export const watch: Method<WatchRequest, WatchAnswer> = method('Watch/Watch', 'Watch');
/** A token for a name and its password. */
export const authenticate: Method<AuthenticateRequest, { readonly token: string }> = method(
  'Auth/Authenticate',
  'Authenticate',
);
/** What a member says of itself. */
export const status: Method<object, StatusAnswer> = method('Maintenance/Status', 'Status');
/** The members of the cluster. */
export const memberList: Method<object, MemberListAnswer> = method('Cluster/MemberList', 'MemberList');
/** The alarms that are raised. */
export const alarms: Method<object, AlarmAnswer> = method('Maintenance/Alarm', 'Alarm');
