#!/usr/bin/env node
import './run/inherited-descriptors.ts';

// Without a listener Node opens its debugger, to every user of this host. A command that waits has
// a listener of its own.
process.on('SIGUSR1', () => {});

await import('./start.ts');
