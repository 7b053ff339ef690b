// Builds the packages and the stress, and runs it. Usage:
//   npm run stress -- [options]
//     redis | postgres | mariadb | sqlite | zookeeper | ensemble | quorum
//     deploys | migration | all | self-test
import { buildAndRun } from '../packages/command-line/build-and-run.mjs';

buildAndRun(new URL('.', import.meta.url));
