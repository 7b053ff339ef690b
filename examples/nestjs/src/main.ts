import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { InvoicesModule } from './invoices.js';

const app = await NestFactory.create(InvoicesModule, { logger: ['error', 'warn'] });
// SIGTERM: requests are answered, then the locks are closed.
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT'] ?? 3000));
console.log(`listens on ${await app.getUrl()}`);
