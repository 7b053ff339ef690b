import { chooseServer } from '../src/choose.ts';
import { testExternalServer } from './external-server.ts';
import { testLocalProcess } from './local-process.ts';
import { testOwnServer } from './own-server.ts';

// Each way of running servers has its own tests; what it cannot do is another way's.
const way = chooseServer('redis', 'redis:8-alpine').kind;
if (way !== 'external') testOwnServer(way);
if (way === 'local') testLocalProcess();
testExternalServer();
