import { inOneProcess, suite } from '../support/conformance.ts';
import { startAlone } from '../support/backends.ts';

const others = inOneProcess.filter((id) => id.startsWith('locks-'));
suite('zookeeper, one server', await startAlone(), {}, others);
