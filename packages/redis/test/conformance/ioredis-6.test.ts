import { over, suite, withoutFaults } from '../support/conformance.ts';
import { clients } from '../support/redis.ts';

const [[name, open]] = clients;
suite(`redis, ${name}`, over(open), {}, withoutFaults);
