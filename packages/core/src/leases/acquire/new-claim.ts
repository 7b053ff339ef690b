import type { Claim } from '../../contract.ts';
import type { Settings } from '../../options/acquire-options.ts';
import { attemptTtl } from '../release/rest.ts';
import type { AcquisitionHost } from './acquisition-host.ts';

/** A claim on `key` by an owner that no other claim has. */
export function newClaim(host: AcquisitionHost, settings: Settings, key: string): Claim {
  const { mode, permits } = settings;
  const ttl = attemptTtl(settings);
  const owner = host.nextOwner(settings.label);
  const claim: Claim = permits === undefined ? { key, owner, ttl, mode } : { key, owner, ttl, mode, permits };
  return ttl === settings.ttl ? claim : { ...claim, lease: settings.ttl };
}
