import type { Redis } from 'ioredis';
import type { Party, RetryOptions } from '../../subjects/party.ts';

/** A lock library under measurement, with locks in Redis. */
export interface Subject {
  readonly name: string;
  open(client: Redis, options: RetryOptions): Party;
}
