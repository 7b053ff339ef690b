import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CronOnce } from './cron-once.decorator.js';
import { LocksModule } from './locks.module.js';

@Injectable()
class Reports {
  /** Every two seconds, in one replica. Some fail: Nest logs the error, and the record has it. */
  @CronOnce('report', '*/2 * * * * *', 'Europe/Berlin', { ttl: '1s', next: '2s' })
  async send(slot: Date): Promise<void> {
    console.log(`sends ${slot.toISOString()}`);
    await sleep(500);
    if (slot.getSeconds() % 10 === 0) throw new Error('no paper');
  }
}

@Module({ imports: [ScheduleModule.forRoot(), LocksModule], providers: [Reports] })
export class ReportsModule {}
