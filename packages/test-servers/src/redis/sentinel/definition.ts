import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerDefinition } from '../../server/definition.ts';
import type { ServerAddress } from '../../server/address.ts';
import { defineNode } from '../node.ts';

/** The settings of a Sentinel about the servers that it watches. */
export interface Watched {
  readonly name: string;
  readonly master: ServerAddress;
  /** How many Sentinels must agree that the master is gone. */
  readonly quorum: number;
  /** In ms: see `RedisSentinelOptions`. */
  readonly downAfter: number;
}

/** A Sentinel as a local process. */
export function defineSentinel({ name, master, quorum, downAfter }: Watched): ServerDefinition {
  const fileIn = (dataFolder: string): string => join(dataFolder, 'sentinel.conf');
  return {
    ...defineNode([]),
    async configure({ dataFolder }, port) {
      const file = fileIn(dataFolder);
      // A Sentinel keeps its state in this file.
      if (existsSync(file)) return;
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${dataFolder}`,
        `sentinel monitor ${name} ${master.host} ${master.port} ${quorum}`,
        `sentinel down-after-milliseconds ${name} ${downAfter}`,
        // The limit of the steps of a failover, and half the pause between two.
        `sentinel failover-timeout ${name} 2000`,
        `sentinel parallel-syncs ${name} 5`,
      ];
      await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o666 });
    },
    localArguments: ({ dataFolder }) => [fileIn(dataFolder), '--sentinel'],
  };
}
