import { over, suite, withoutFaults } from '../support/conformance.ts';
import { clients } from '../support/redis.ts';

const [[, open]] = clients;
suite('redis, not fair', over(open), { fair: false }, withoutFaults);
