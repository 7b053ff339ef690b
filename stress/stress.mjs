// Usage: npm run stress -- redis | postgres | mariadb | sqlite | zookeeper | ensemble | all | self-test [options]
// Builds the packages and the stress, and runs it.
import { buildAndRun } from '../packages/command-line/build-and-run.mjs';

buildAndRun(new URL('.', import.meta.url));
