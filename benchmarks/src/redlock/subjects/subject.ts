import type { Redis } from 'ioredis';
import type { Party, RetryOptions } from '../../subjects/party.ts';

/** A lock library under measurement, with locks on a majority of several Redis nodes. */
export interface Subject {
  open(clients: readonly Redis[], options: RetryOptions): Party;
}
