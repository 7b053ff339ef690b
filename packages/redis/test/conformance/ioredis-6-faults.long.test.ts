import { over, suite, withFaults } from '../support/conformance.ts';
import { clients } from '../support/redis.ts';

const [[name, open]] = clients;
suite(`redis, ${name}, faults`, over(open), {}, withFaults);
