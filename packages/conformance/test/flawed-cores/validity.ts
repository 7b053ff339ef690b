import type { CoreRecipe } from './recipe.ts';

export const validity: readonly CoreRecipe[] = [
  {
    name: 'validity of a grant counts from the reply',
    find: 'deadlineOf(sentAt, validityOf(asked,',
    replace: 'deadlineOf(now, validityOf(asked,',
    caughtBy: ['locks-validity-from-send', 'locks-late-grant'],
  },
  {
    name: 'validity of a renewal counts from the reply',
    find: 'deadlineOf(sentAt, validityOf(this.',
    replace: 'deadlineOf(now, validityOf(this.',
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
    find: 'this.#sent.handBack(this.host.releases);',
    replace: '',
    caughtBy: ['locks-late-grant'],
  },
  {
    name: 'a late renewal revives the lease',
    find: 'return this.#ended !== undefined; } renew()',
    replace: `const now = this.host.runtime.clock.exact();
        const late = this.#ended !== undefined;
        this.#ended = undefined;
        if (late) super.renewed(now, {}, now);
        return false;
    }
    renew()`,
    caughtBy: ['locks-late-renewal'],
    alone: true,
  },
  {
    name: 'a rejected renewal counts as a renewal',
    find: 'this.#failures += 1;',
    replace: 'this.#failures += 1; this.#lease.renewed(runtime.clock.exact(), {}, runtime.clock.exact());',
    caughtBy: ['locks-renewal-pace', 'locks-outage-of-renewals'],
    mayAlsoFail: ['locks-unknown-renewal', 'locks-work-after-loss'],
    alone: true,
  },
  {
    name: 'held is a flag that a timer sets',
    find: `this.#ended === undefined && this.host.runtime.clock.exact() < this.deadline`,
    replace: `this.#ended === undefined`,
    caughtBy: ['locks-blocked-loop'],
    alone: true,
  },
  {
    name: 'a lease that lapsed while the event loop was blocked is renewed',
    find: 'if (now >= this.deadline) this.#lapse();',
    replace: 'if (now >= this.deadline) { this.host.provider.renew(this.claim).catch(() => { }); this.#lapse(); }',
    caughtBy: ['locks-blocked-loop'],
    alone: true,
  },
];
