import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { answers } from '../../../conformance/test/support/selection.ts';
import { clients } from '../support/redis.ts';

// ioredis-6-locks.long.test.ts has the others.
const [[name, open]] = clients;
await suite(`redis, ${name}`, over(open), {}, answers);
