import { RedisStore } from '@verrou/core/drivers/redis';
import { createVerrouParty } from '../../subjects/verrou-party.ts';
import type { Subject } from './subject.ts';

export const verrou: Subject = {
  name: 'verrou',
  open: (client, options) => createVerrouParty(new RedisStore({ connection: client }), options),
};
