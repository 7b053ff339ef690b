import { setTimeout as sleep } from 'node:timers/promises';
import { CronOnce } from '@locks/nestjs/schedule';
import { Injectable, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';

import { AppLocksModule } from './locks.module.js';

@Injectable()
class Reports {
  /** Every five seconds, in one replica. Each second one fails, which the record tells. */
  @CronOnce('report', '*/5 * * * * *', { timeZone: 'Europe/Berlin', ttl: '2s', next: '5s' })
  async send(slot: Date): Promise<void> {
    console.log(`sends ${slot.toISOString()}`);
    await sleep(1_500);
    if (slot.getSeconds() % 10 === 0) throw new Error('no paper');
  }
}

@Module({ imports: [ScheduleModule.forRoot(), AppLocksModule], providers: [Reports] })
export class ReportsModule {}
