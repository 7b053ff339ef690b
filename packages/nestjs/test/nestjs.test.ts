import 'reflect-metadata';
import { LockError, createLocks, createMemoryProvider } from '@locks/core';
import type { Lease, Locks } from '@locks/core';
import { Injectable, Module, SetMetadata } from '@nestjs/common';
import type { ArgumentsHost, DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { expect, onTestFinished, test, vi } from 'vitest';
import { InjectLocks, LOCKS, LockErrorFilter, LocksHealth, LocksModule, WithLock } from '../src/index.ts';
import { CronOnce } from '../src/schedule.ts';

@Injectable()
class Invoices {
  readonly locks = 'a property of its own';
  running = 0;
  most = 0;

  @InjectLocks()
  readonly injected!: Locks;

  @WithLock((id: string) => `invoice/${id}`, { wait: '5s' })
  @SetMetadata('role', 'clerk')
  async send(id: string, lease?: Lease): Promise<string> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.running -= 1;
    return `${id} under ${lease?.key}`;
  }

  @WithLock('all', { wait: 0 })
  async sendAll(): Promise<void> {}
}

async function open(locks: DynamicModule, ...more: NonNullable<DynamicModule['imports']>) {
  @Module({ imports: [locks, ...more], providers: [Invoices] })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
  onTestFinished(() => app.close());
  return app;
}

test('a method runs under the lock of its arguments, and gets the lease', async () => {
  const app = await open(LocksModule.forRoot('memory:'));
  const invoices = app.get(Invoices);
  const sent = await Promise.all(['7', '7', '7'].map((id) => invoices.send(id)));
  expect(sent).toEqual(Array.from({ length: 3 }, () => '7 under invoice/7'));
  expect(invoices.most).toBe(1);
  await Promise.all(['7', '8'].map((id) => invoices.send(id)));
  expect(invoices.most).toBe(2);
  expect(invoices.locks).toBe('a property of its own');
  expect(invoices.send.name).toBe('send');
  expect(Reflect.getMetadata('role', invoices.send)).toBe('clerk');
});

test('what does not get its lock rejects as withLock does', async () => {
  const app = await open(LocksModule.forRoot('memory:'));
  const lease = await app.get<Locks>(LOCKS).acquire('all');
  await expect(app.get(Invoices).sendAll()).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  await lease.release();
  await app.get(Invoices).sendAll();
});

test('the target may come from providers, and be locks over a client of the application', async () => {
  const locks = createLocks(createMemoryProvider(), { closeProvider: true });
  @Module({ providers: [{ provide: 'client', useValue: locks }], exports: ['client'] })
  class ClientModule {}
  const target = { imports: [ClientModule], inject: ['client'], useFactory: (client: Locks) => client };
  const app = await open(LocksModule.forRootAsync(target));
  expect(app.get(LOCKS)).toBe(locks);
});

test('a provider over a client of the application becomes locks, and is closed with them', async () => {
  const provider = createMemoryProvider();
  const app = await open(LocksModule.forRootAsync({ useFactory: () => provider }));
  expect(await app.get(Invoices).send('1')).toBe('1 under invoice/1');
  await app.close();
  await expect(provider.inspect('invoice/1')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
});

test('the shutdown waits for work under a lock, and closes the locks', async () => {
  const app = await open(LocksModule.forRootAsync({ useFactory: async () => 'memory:' }, { drain: '5s' }));
  const invoices = app.get(Invoices);
  const sending = invoices.send('9');
  await vi.waitFor(() => expect(invoices.running).toBe(1), { interval: 1 });
  await app.close();
  expect(invoices.running).toBe(0);
  await sending;
  await expect(invoices.send('10')).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
});

test('without a target the environment names the store', async () => {
  vi.stubEnv('LOCKS_URL', 'memory:');
  onTestFinished(() => void vi.unstubAllEnvs());
  const app = await open(LocksModule.forRoot());
  expect(app.get<Locks>(LOCKS).name).toBe('memory');
});

test('a store that does not answer is down', async () => {
  const app = await open(LocksModule.forRoot('memory:'), TerminusModule);
  const health = app.get(LocksHealth);
  const checks = await app.resolve(HealthCheckService);
  await expect(checks.check([() => health.check()])).resolves.toMatchObject({ details: { locks: { status: 'up' } } });
  const silent = new LocksHealth(
    createLocks(Object.assign(createMemoryProvider(), { inspect: () => new Promise<never>(() => {}) })),
  );
  expect(await silent.check('store', 20)).toMatchObject({
    store: { status: 'down', message: expect.stringMatching(/within 20 ms/) },
  });
  await app.get<Locks>(LOCKS).close();
  await expect(checks.check([() => health.check()])).rejects.toMatchObject({ status: 503 });
});

test.each([
  ['LOCK_TIMEOUT', 409],
  ['LOCK_UNAVAILABLE', 503],
  ['LOCK_CLOSED', 503],
  ['LOCK_LOST', 500],
] as const)('%s is answered with %i', (code, status) => {
  const replies: number[] = [];
  const adapter = {
    isHeadersSent: () => false,
    reply: (_response: unknown, _body: unknown, answered: number) => replies.push(answered),
  };
  const host = { getArgByIndex: () => ({}) } as unknown as ArgumentsHost;
  const filter = new LockErrorFilter(adapter as never);
  filter.catch(new LockError(code, 'why'), host);
  expect(replies).toEqual([status]);
});

test('of three applications one runs each round of a cron job', { timeout: 20_000 }, async () => {
  const rounds: string[] = [];
  @Injectable()
  class Reports {
    @CronOnce('report', '* * * * * *', { timeZone: 'Europe/Berlin', ttl: '2s' })
    async send(slot: Date, lease: Lease): Promise<void> {
      rounds.push(`${slot.toISOString()} ${lease.held}`);
    }
  }
  @Module({ providers: [Reports] })
  class ReportsModule {}
  const shared = createLocks(createMemoryProvider());
  const forSchedule = [ScheduleModule.forRoot(), ReportsModule];
  for (let replica = 0; replica < 3; replica += 1)
    await open(LocksModule.forRootAsync({ useFactory: () => shared }), ...forSchedule);
  await vi.waitFor(() => expect(rounds.length).toBeGreaterThanOrEqual(3), { timeout: 10_000 });
  expect(new Set(rounds).size).toBe(rounds.length);
  expect(rounds.every((round) => round.endsWith('.000Z true'))).toBe(true);
});
