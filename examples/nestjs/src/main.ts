import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InvoicesModule } from './invoices.js';
import { ReportsModule } from './reports.js';

@Module({ imports: [InvoicesModule, ReportsModule] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
// SIGTERM: requests are answered, then the locks are closed.
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT'] ?? 3000));
console.log(`listens on ${await app.getUrl()}`);
