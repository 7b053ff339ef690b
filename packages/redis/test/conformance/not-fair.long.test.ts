import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { withoutOrder } from '../support/requirements.ts';
import { clients } from '../support/redis.ts';

const [[, open]] = clients;
await suite('redis, not fair', over(open), { fair: false }, withoutOrder);
