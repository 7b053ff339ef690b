import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '@locks/core';
import { WithLock } from '@locks/nestjs';
import { Controller, Inject, Injectable, Module, Param, Post } from '@nestjs/common';
import { AppLocksModule } from './locks.module.js';

@Injectable()
export class Invoices {
  /** One replica at a time sends an invoice; others wait for up to 5 s. */
  @WithLock((id: string) => `invoice/${id}`, { wait: 5_000 })
  async send(id: string, lease?: Lease): Promise<string> {
    console.log(`begins ${id}`);
    await sleep(500);
    console.log(`ends ${id}`);
    return `sent with token ${lease?.token}\n`;
  }
}

@Controller('invoices')
class InvoicesController {
  constructor(@Inject(Invoices) private readonly invoices: Invoices) {}

  @Post(':id/send')
  async send(@Param('id') id: string): Promise<string> {
    return await this.invoices.send(id);
  }
}

@Module({ imports: [AppLocksModule], controllers: [InvoicesController], providers: [Invoices] })
export class InvoicesModule {}
