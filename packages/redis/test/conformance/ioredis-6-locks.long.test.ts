import { suite } from '../support/conformance.ts';
import { over } from '../support/make.ts';
import { withoutFaultsBeyondAnswers } from '../support/requirements.ts';
import { clients } from '../support/redis.ts';

const [[name, open]] = clients;
await suite(`redis, ${name}`, over(open), {}, withoutFaultsBeyondAnswers);
