import { rename, writeFile } from 'node:fs/promises';
import { migrationStatus, waitForPhase } from '@locks/composites';

const [phase = 'both', processes = '2'] = process.argv.slice(2);
const config = { config: 'locks.config.json' };
const fleet = { processes: Number(processes) };

// In one step: no process reads half a word.
await writeFile('phase.next', phase);
await rename('phase.next', 'phase');
await waitForPhase(config, phase, '1m', fleet);

const { step, allowed, why } = (await migrationStatus(config, fleet)).next.forward;
console.log(`all ${processes} processes are in phase "${phase}"`);
console.log(allowed ? `the next step may be taken: ${step}` : `not yet: ${why.join(', ')}`);
