// Builds the packages and the nemesis, and runs it. Usage:
//   npm run nemesis -- --store redis [options]
import { buildAndRun } from '../packages/command-line/build-and-run.mjs';

buildAndRun(new URL('.', import.meta.url));
