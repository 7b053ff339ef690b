import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { clients } from '../support/redis.ts';
import { ofLibraries } from '../support/requirements.ts';

// What the two majors of the client might do differently.
const [, [name, open]] = clients;
await suite(`redis, ${name}`, over(open), {}, ofLibraries);
