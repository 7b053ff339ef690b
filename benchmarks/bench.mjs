// Usage: npm run bench -- redis | redlock | sql | zookeeper | memory | core | clients [options]
// Installs the peers if they are lacking, builds the packages and the benchmarks, and runs them.
import { buildAndRun } from '../packages/command-line/build-and-run.mjs';

buildAndRun(new URL('.', import.meta.url), { installs: true });
