import { randomBytes } from 'node:crypto';
import type { Claim, LockProvider } from '@locks/core';
import type { Faults } from '../faults/faults.ts';
import { decidesNothing } from './claims.ts';
import { eventually, inBackground, sleep } from '../checks/time.ts';
import type { DifferentialFault, DifferentialOptions, DifferentialRules } from './options.ts';
import { families, processesOfPlan } from './plan.ts';
import type { Abilities } from './plan.ts';

/**
 * The providers of one sequence at a time, so that faults of one sequence do not affect another.
 */
export interface Processes {
  /** How often the store has stopped or started, including for other sequences. */
  readonly restarts: number;
  provider(index: number): LockProvider;
  /** Closes a provider, and opens another one in its place. */
  replace(index: number): Promise<void>;
  /** Causes a fault. Resolves when it has begun. A lasting one ends after 200 ms. */
  disturb(fault: DifferentialFault, index: number): Promise<void>;
  /** Resolves when no fault is in progress. */
  calm(): Promise<void>;
}

/** The processes of all sequences. */
export interface Opened {
  readonly can: Abilities;
  /** Those of a lane, which has one sequence at a time. */
  of(rules: DifferentialRules, lane: number): Promise<Processes>;
  close(): Promise<void>;
}

interface Running {
  readonly provider: LockProvider;
  readonly faults: Faults;
}

/** The longest time until a provider learns of its turn, in ms. */
const patience = 60_000;
/** The duration of a fault, in ms: longer than some calls, and shorter than any ttl. */
const faultLasts = 200;
const replyDelay = 60;

const kinds: readonly DifferentialFault[] = ['sever', 'silence', 'dropReply', 'delay', 'duplicate', 'restart'];

/** Opens the providers of the first lane, and those of others when they are needed. */
export async function openProcesses({ create, virtual, lasting }: DifferentialOptions): Promise<Opened> {
  const all = new Set<Running>();
  const lanes = new Map<string, Promise<Processes>>();
  const opening = new Set<Promise<Running>>();
  const store = { restarts: 0, started: Promise.resolve() };

  /** Not while the store restarts, as most providers connect to it first. */
  async function open(rules: DifferentialRules): Promise<Running> {
    await store.started;
    const running = make(rules);
    opening.add(running);
    try {
      return await running;
    } finally {
      opening.delete(running);
    }
  }

  async function make(rules: DifferentialRules): Promise<Running> {
    const made = await create(rules);
    const running =
      'faults' in made ? { provider: await made.create(), faults: made.faults } : { provider: made, faults: {} };
    all.add(running);
    if (virtual === undefined) await enterQueue(running.provider, rules);
    return running;
  }

  async function start(rules: DifferentialRules): Promise<Processes> {
    const running = await Promise.all(Array.from({ length: processesOfPlan }, () => open(rules)));
    const lost = new Set<number>();
    let underWay: Promise<void>[] = [];
    const lasts = (end: (() => Promise<void>) | undefined): void => {
      underWay.push(inBackground(sleep(faultLasts).then(end)));
    };
    const replace = async (index: number): Promise<void> => {
      await close(running[index] as Running);
      running[index] = await open(rules);
    };
    return {
      get restarts() {
        return store.restarts;
      },
      provider: (index) => (running[index] as Running).provider,
      replace,
      async disturb(fault, index) {
        const { provider, faults } = running[index] as Running;
        switch (fault) {
          case 'sever':
            return await faults.sever?.(provider);
          case 'dropReply':
            lost.add(index);
            return await faults.dropReply?.(provider);
          case 'silence':
            return lasts(await faults.silence?.(provider, 'replies'));
          case 'delay':
            return lasts(await faults.delay?.(provider, replyDelay));
          case 'duplicate':
            return lasts(await faults.duplicate?.(provider));
          case 'restart':
            store.restarts += 1;
            store.started = inBackground(Promise.allSettled(opening).then(faults.restart));
            await store.started;
            store.restarts += 1;
            return undefined;
          default:
            return fault satisfies never;
        }
      },
      async calm() {
        await Promise.all(underWay);
        underWay = [];
        // A prepared fault may not have happened, and must not hit the next sequence.
        await Promise.all([...lost].map(replace));
        lost.clear();
      },
    };
  }

  async function close(running: Running): Promise<void> {
    all.delete(running);
    await running.provider.close().catch(() => {});
  }

  const of = async (rules: DifferentialRules, lane: number): Promise<Processes> => {
    const name = `${lane} ${rules.waiterTtl}`;
    const processes = lanes.get(name) ?? start(rules);
    lanes.set(name, processes);
    return await processes;
  };
  const closeAll = async (): Promise<void> => void (await Promise.all([...all].map(close)));
  try {
    await of(families[0] as DifferentialRules, 0);
  } catch (error) {
    await closeAll();
    throw error;
  }
  const [{ provider, faults }] = [...all] as [Running];
  const { traits } = provider;
  const can: Abilities = {
    shared: traits.shared,
    time: provider.time !== undefined,
    list: provider.list !== undefined,
    registers: provider.register !== undefined,
    lasting: lasting ?? traits.expiry === 'session',
    handsOver: traits.expiry !== 'session',
    faults: kinds.filter((kind) => faults[kind] !== undefined),
    virtual: virtual !== undefined,
  };
  return { can, of, close: closeAll };
}

/**
 * Until its first claim waits, a provider may have no subscription, and give no position in the
 * queue. Whether it did is in its answer: where calls are slow, the position may be over before an
 * inspection.
 */
async function enterQueue(provider: LockProvider, { waiterTtl }: DifferentialRules): Promise<void> {
  const key = `differential-${randomBytes(6).toString('hex')}`;
  const [holder, waiter] = ['holder', 'waiter'].map((name): Claim => ({
    key,
    owner: `${name}/${key}`,
    ttl: 60_000,
    mode: 'exclusive',
  })) as [Claim, Claim];
  // A restart of the store, for another sequence, may interfere.
  const look = async (): Promise<unknown> => {
    await provider.tryAcquire(holder);
    return await provider.tryAcquire(waiter, () => {});
  };
  await eventually(
    patience,
    'a claim to be in the queue',
    () => look().catch((error: unknown) => error),
    (answer) => 'granted' in Object(answer) && !decidesNothing(answer, waiterTtl),
  );
  for (const claim of [waiter, holder]) await provider.release(claim).catch(() => false);
}
