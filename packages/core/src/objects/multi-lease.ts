import type { Lease, LeaseRecord } from '../lease.ts';
import { printAs } from '../leases/hold/printed.ts';
import type { PublicLease } from '../leases/hold/public-lease.ts';
import { JointLease } from './joint-lease.ts';

/** As of one key, with all keys and the token of each as decimal digits. */
interface MultiLeaseRecord extends LeaseRecord {
  readonly keys: readonly string[];
  readonly tokens: Readonly<Record<string, string>>;
}

/** Several keys held together. Lost when one of them is. */
export interface MultiLease extends Lease {
  /** In the order in which they were taken. */
  readonly keys: readonly string[];
  /** The fencing token of each key. `token` is that of the first one. */
  readonly tokens: ReadonlyMap<string, bigint>;
}

/** The leases of several keys as one. */
export class LeaseOfAll extends JointLease implements MultiLease {
  static {
    printAs('MultiLease', LeaseOfAll.prototype);
  }

  readonly keys: readonly string[];
  readonly tokens: ReadonlyMap<string, bigint>;

  constructor(leases: readonly [Lease, ...Lease[]]) {
    super(leases as readonly [PublicLease, ...PublicLease[]]);
    this.keys = leases.map(({ key }) => key);
    this.tokens = new Map(leases.map(({ key, token }) => [key, token]));
  }

  override toJSON(): MultiLeaseRecord {
    const tokens = Object.fromEntries([...this.tokens].map(([key, token]) => [key, `${token}`]));
    return { ...super.toJSON(), keys: this.keys, tokens };
  }
}
