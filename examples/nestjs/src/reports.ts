import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CronOnce } from './cron-once.decorator.js';
import { LocksModule } from './locks.module.js';

@Injectable()
class Reports {
  /** Every five seconds, in one replica. Each second one fails, which the record tells. */
  @CronOnce('report', '*/5 * * * * *', 'Europe/Berlin', { ttl: '2s', next: '5s' })
  async send(slot: Date): Promise<void> {
    console.log(`sends ${slot.toISOString()}`);
    await sleep(1_500);
    if (slot.getSeconds() % 10 === 0) throw new Error('no paper');
  }
}

@Module({ imports: [ScheduleModule.forRoot(), LocksModule], providers: [Reports] })
export class ReportsModule {}
