import type { Kind } from '../kinds.ts';
import { createDialect } from './dialect.ts';
import { migrations } from './migrations.ts';

export const sqlite: Kind = { name: 'sqlite', quote: '"', migrations, createDialect };
