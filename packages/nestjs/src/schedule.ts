/** Cron jobs of `@nestjs/schedule`. They need that package, and `croner`. */
export { CronOnce } from './cron-once.ts';
export type { CronOnceOptions } from './cron-once.ts';
