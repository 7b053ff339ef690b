import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { withFaults } from '../../../conformance/test/support/selection.ts';
import { clients } from '../support/redis.ts';

const [[name, open]] = clients;
await suite(`redis, ${name}, faults`, over(open), {}, withFaults);
