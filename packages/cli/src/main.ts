#!/usr/bin/env node
import './run/inherited-descriptors.ts';

// Without a listener Node answers by opening its debugger, to every user of this host. A command
// that can be waited for has a listener of its own.
process.on('SIGUSR1', () => {});

await import('./start.ts');
