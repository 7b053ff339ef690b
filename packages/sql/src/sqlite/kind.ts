import type { Kind } from '../kinds.ts';
import { createDialect } from './dialect.ts';
import { migrationRemedy } from './migration-remedy.ts';
import { migrations } from './migrations.ts';

export const sqlite: Kind = { name: 'sqlite', quote: '"', migrations, migrationRemedy, createDialect };
