import type { CoreRecipe } from './recipe.ts';

export const validity: readonly CoreRecipe[] = [
  {
    name: 'validity of a grant counts from the reply',
    find: 'deadlineOf(asked, keeping, sentAt, grant)',
    replace: 'deadlineOf(asked, keeping, now, grant)',
    caughtBy: ['locks-validity-from-send', 'locks-late-grant'],
  },
  {
    name: 'validity of a renewal counts from the reply',
    find: 'deadlineOf(this.claim, this.keeping, sentAt, answer)',
    replace: 'deadlineOf(this.claim, this.keeping, now, answer)',
    caughtBy: ['locks-validity-from-send'],
  },
  {
    name: 'no margin for drift',
    find: 'return validity - validity * 0.01 - 2;',
    replace: 'return validity;',
    caughtBy: ['locks-validity-from-send'],
    mayAlsoFail: ['locks-short-ttl', 'locks-outage-of-renewals', 'locks-loss-before-expiry'],
  },
  {
    name: 'a late grant is given to the caller',
    find: 'if (now >= deadline)',
    replace: 'if (now === undefined)',
    caughtBy: ['locks-late-grant'],
  },
  {
    name: 'a late grant is dropped instead of handed back',
    find: 'host.releases.start({ claim: this.claim, uncertain: false, lastSend: this.#lastSend });',
    replace: '',
    caughtBy: ['locks-late-grant'],
  },
  {
    name: 'a late renewal revives the lease',
    find: 'const reason = lease.ended(now); if (reason !== undefined || answer === false)',
    replace: `if (lease.end !== undefined && answer !== false) { lease.end = undefined; lease.renewed(now, {}, now); }
    const reason = lease.ended(now);
    if (reason !== undefined || answer === false)`,
    caughtBy: ['locks-late-renewal'],
    alone: true,
  },
  {
    name: 'a rejected renewal counts as a renewal',
    find: 'renewing.failures += 1;',
    replace: 'renewing.failures += 1; lease.renewed(now, {}, now);',
    caughtBy: ['locks-renewal-pace', 'locks-outage-of-renewals'],
    mayAlsoFail: ['locks-unknown-renewal', 'locks-work-after-loss'],
    alone: true,
  },
  {
    name: 'held is a flag that a timer sets',
    find: 'return this.end === undefined && this.host.runtime.clock.exact() < this.deadline;',
    replace: 'return this.end === undefined;',
    caughtBy: ['locks-blocked-loop'],
    alone: true,
  },
  {
    name: 'a lease that lapsed while the event loop was blocked is renewed',
    find: 'if (!this.isHeld(sentAt)) return;',
    replace: 'if (!this.isHeld(sentAt)) { this.host.provider.renew(this.claim).catch(() => { }); return; }',
    caughtBy: ['locks-blocked-loop'],
    alone: true,
  },
];
