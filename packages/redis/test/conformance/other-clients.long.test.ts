import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { clients } from '../support/redis.ts';
import { ofLibraries } from '../support/requirements.ts';

// What the two majors of ioredis might do differently, and iovalkey, which began as a copy of it.
const [, ...others] = clients;
for (const [name, open] of others) await suite(`redis, ${name}`, over(open), {}, ofLibraries);
