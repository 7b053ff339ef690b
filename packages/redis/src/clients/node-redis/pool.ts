import type { RedisClient } from '../../wire/client.ts';
import type { NodeRedisClient } from './client.ts';
import { commandsOf, senderOf } from './commands.ts';
import { copyOf, duplicateOf } from './copy.ts';
import { keyPrefixOf } from './version.ts';
import { stateOf } from './state.ts';

/** The few members used of a pool of node-redis (`createClientPool()`). It is not changed. */
export interface NodeRedisPool {
  readonly isOpen: boolean;
  /** How many tasks wait for a client. */
  readonly tasksQueueLength: number;
  execute<T>(task: (client: NodeRedisClient) => Promise<T>): Promise<T>;
}

/** A client of the pool, borrowed while commands are in flight over it. */
interface Loan {
  readonly client: Promise<NodeRedisClient>;
  readonly giveBack: () => void;
  /** It was returned. */
  readonly over: Promise<void>;
  granted: boolean;
  uses: number;
}

/**
 * A pool as the provider uses a client. All commands in flight share one client of the pool. So
 * they arrive in the order of the calls, and those of one tick travel together. If others wait for
 * a client, later commands queue behind them for another one.
 */
export function fromNodeRedisPool(pool: NodeRedisPool): RedisClient {
  const keyPrefix = keyPrefixOf(pool);
  const state = stateOf(pool, 'pool');
  let loan: Loan | undefined;

  async function over<T>(use: (client: NodeRedisClient) => Promise<T>): Promise<T> {
    if (loan === undefined || (loan.granted && pool.tasksQueueLength > 0)) loan = borrow(pool, loan?.over);
    const mine = loan;
    mine.uses += 1;
    try {
      return await use(await mine.client);
    } finally {
      mine.uses -= 1;
      if (mine.uses === 0) {
        if (loan === mine) loan = undefined;
        mine.giveBack();
      }
    }
  }

  return {
    ...commandsOf(
      state.guarded((...args) => over((client) => senderOf(client)(...args))),
      keyPrefix,
    ),
    duplicate: () => copyOf({ create: () => over(async (client) => duplicateOf(client)), keyPrefix }),
    // A client of node-redis sends no command twice, so a broken connection leaves no doubt.
    stream: pool,
    get status() {
      return state.status();
    },
  };
}

/** A client that can be used after the loan `before`, which keeps the order of the calls. */
function borrow(pool: NodeRedisPool, before: Promise<void> | undefined): Loan {
  let giveBack: () => void = () => {};
  const over = new Promise<void>((resolve) => (giveBack = resolve));
  const client = new Promise<NodeRedisClient>((resolve, reject) => {
    const task = async (one: NodeRedisClient): Promise<void> => {
      await before;
      loan.granted = true;
      resolve(one);
      await over;
    };
    pool.execute(task).catch(reject);
  });
  const loan: Loan = { client, giveBack, over, granted: false, uses: 0 };
  return loan;
}
