import { LockError } from '@locks/core';
import { client } from './flaw.ts';
import type { FaultFlaw } from './flaw.ts';
import { orElse } from './unknown.ts';

/** A change without an answer is answered by the text before it, or by that after it. */
function answeredBy(text: 'from' | 'to'): FaultFlaw['make'] {
  return client((inner) => ({
    register: (name, change) =>
      orElse(inner.register!(name, change), (error) => {
        if (change === undefined) throw error;
        return change[text];
      }),
  }));
}

/** What a fault does to changes of registers. */
export const registerFaults: readonly FaultFlaw[] = [
  {
    name: 'a change of a register whose reply was lost is answered as not made',
    caughtBy: ['locks-job-dropped-reply'],
    mayAlsoFail: ['locks-job-sever', 'locks-job-silence'],
    make: answeredBy('from'),
  },
  {
    name: 'a change of a register without an answer is answered as made',
    caughtBy: ['locks-job-silence'],
    make: answeredBy('to'),
  },
  {
    name: 'registers belong to a connection that is not made again',
    caughtBy: ['locks-job-sever', 'locks-job-dropped-reply'],
    mayAlsoFail: ['locks-job-silence', 'restart-*'],
    make: client((inner, link) => ({
      async register(name, change) {
        if (link.connections > 1) throw new LockError('LOCK_UNAVAILABLE', 'The connection is lost.');
        return await inner.register!(name, change);
      },
    })),
  },
];
