import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { clients } from '../support/redis.ts';
import { ofLibraries } from '../support/requirements.ts';

// It began as a copy of ioredis, for which other files check the rest.
const [, , [name, open]] = clients;
await suite(`redis, ${name}`, over(open), {}, ofLibraries);
