import { rename, writeFile } from 'node:fs/promises';
import { waitForPhase } from '@locks/composites';

const [phase = 'both', processes = '2'] = process.argv.slice(2);
const config = { config: 'locks.config.json' };
const fleet = { processes: Number(processes) };

// In one step: no process reads half a word.
await writeFile('phase.next', phase);
await rename('phase.next', 'phase');
await waitForPhase(config, phase, '1m', fleet);

console.log(`all ${processes} processes are in phase "${phase}"`);
