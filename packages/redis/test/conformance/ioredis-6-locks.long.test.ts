import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { withoutFaults } from '../support/requirements.ts';
import { clients } from '../support/redis.ts';

const others = withoutFaults.filter((id) => /^(locks|processes)-/.test(id));
const [[name, open]] = clients;
await suite(`redis, ${name}`, over(open), {}, others);
