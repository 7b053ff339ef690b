import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { answers } from '../../../conformance/test/support/selection.ts';
import { clients } from '../support/redis.ts';

const [[, open]] = clients;
await suite('redis, minReplicas', over(open), { minReplicas: 1 }, answers);
