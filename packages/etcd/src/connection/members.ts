import { LockError, errorText, isLockError, misconfigured, outsideContext, printHost } from '@locks/core/adapter';
import type { Deadline, Host, Runtime } from '@locks/core/adapter';
import { source } from '../options/options.ts';
import { authenticate, status } from '../wire/calls.ts';
import type { Method } from '../wire/calls.ts';
import type { KeepAliveAnswer, LeaseRequest } from '../wire/messages.ts';
import { failureOf, lockErrorOf } from './errors.ts';
import { connectTo } from './member.ts';
import type { Call, Member } from './member.ts';
import { RenewalStream } from './renewal-stream.ts';
import type { Secrets } from './secrets.ts';

export interface MembersParts {
  readonly hosts: readonly Host[];
  readonly secrets: Secrets;
  readonly deadline: Deadline;
  readonly runtime: Runtime;
}

export interface CallOptions {
  /** In ms. @default the deadline's timeout */
  readonly within?: number | undefined;
  /** Repeating the request changes nothing more. @default false */
  readonly repeats?: boolean;
  /**
   * In ms: after that a silent member is left, and the call repeated. @default a third of the
   * timeout
   */
  readonly patience?: number | undefined;
}

/**
 * The part of the timeout after which a silent connection is replaced, if there is another. More
 * keeps calls waiting after a member has died. Less leaves slow members that would have answered.
 */
const patience = 1 / 3;

/** The members of the cluster. One is used until it fails. */
export class Members {
  readonly #parts: MembersParts;
  #next = 0;
  #member: Member | undefined = undefined;
  #connecting: Promise<Member> | undefined = undefined;
  #renewals: RenewalStream | undefined = undefined;
  #token: string | undefined = undefined;
  #loggingIn: Promise<string | undefined> | undefined = undefined;
  /** When a member last answered, by the clock. */
  #heardAt = -Infinity;
  #failure: LockError | undefined = undefined;
  #closed: LockError | undefined = undefined;
  #connections = 0;

  constructor(parts: MembersParts) {
    this.#parts = parts;
  }

  /** How often a connection was made: with each, the store may have gone back to older data. */
  get connections(): number {
    return this.#connections;
  }

  /** Why calls fail at present. */
  get failure(): LockError | undefined {
    return this.#failure;
  }

  /** The user's token from the last login. */
  get token(): string | undefined {
    return this.#token;
  }

  /** The next call logs in again. */
  forgetToken(): void {
    this.#token = undefined;
  }

  /** Sends `request` to one member, and returns the answer. `what` names the call. */
  call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    what: string,
    options: CallOptions = {},
  ): Promise<Response> {
    return this.#try((member, token) => member.send(method, request, token), what, options);
  }

  /** Restarts a lease. */
  renew(request: LeaseRequest, options: Omit<CallOptions, 'repeats'>): Promise<KeepAliveAnswer> {
    const send = (member: Member, token: string | undefined): Call<KeepAliveAnswer> => {
      if (this.#renewals?.member !== member || this.#renewals.over)
        this.#renewals = outsideContext(() => new RenewalStream(member, token, this.#parts.runtime));
      return this.#renewals.send(request);
    };
    return this.#try(send, 'a renewal of a lease', { ...options, repeats: true });
  }

  /** The member in use. Connects if there is none. */
  async use(within: number = this.#parts.deadline.timeout): Promise<Member> {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.#member !== undefined) return this.#member;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    try {
      return await this.#parts.deadline.race(this.#connecting, 'a new connection', within);
    } catch (error) {
      if (isLockError(error) && error.code !== 'LOCK_UNAVAILABLE') throw error;
      throw new LockError('LOCK_UNAVAILABLE', errorText(error), {
        cause: isLockError(error) ? error.cause : error,
        sent: false,
      });
    }
  }

  /** `member` has failed: the next call uses another one. */
  leave(member: Member): void {
    member.close();
    if (this.#member === member) this.#member = undefined;
  }

  close(reason: LockError): void {
    this.#closed = reason;
    this.#member?.close();
    this.#member = undefined;
  }

  async #try<Response>(
    send: (member: Member, token: string | undefined) => Call<Response>,
    what: string,
    { within = this.#parts.deadline.timeout, repeats = false, patience: silent }: CallOptions,
  ): Promise<Response> {
    const { clock } = this.#parts.runtime;
    const end = clock.now() + within;
    for (let round = 0; ; round++) {
      const left = Math.max(1, end - clock.now());
      const member = await this.use(left);
      const token = await this.#parts.deadline.race(this.#tokenAt(member), 'a login', left);
      // Another call has left it. Opening a stream over a closed channel throws.
      if (member.over.aborted) continue;
      const sentAt = clock.now();
      const call = send(member, token);
      try {
        const answer = await this.#parts.deadline.race(
          call.answer,
          what,
          repeats && round < this.#parts.hosts.length ? Math.min(left, silent ?? this.patience) : this.#limit(left),
        );
        this.#heardAt = clock.now();
        return answer;
      } catch (error) {
        call.cancel();
        if (this.#closed !== undefined) throw this.#closed;
        const late = isLockError(error);
        const failure = late ? 'broken' : failureOf(error);
        const told = lockErrorOf(error, what, member.name);
        const failed = failure === 'broken' || failure === 'not sent';
        if (failed && !late) this.#failure = told;
        // A member that answers other calls is busy, not silent.
        if (failed && (!late || this.#heardAt < sentAt)) this.leave(member);
        if (failure === 'token' && this.#token === token) this.#token = undefined;
        const again = failure === 'not sent' || failure === 'token' || (failure === 'broken' && repeats);
        if (!again || round >= this.#parts.hosts.length || clock.now() >= end) throw told;
      }
    }
  }

  async #connect(): Promise<Member> {
    const { hosts, deadline, secrets } = this.#parts;
    let failure: unknown;
    // With one host, the same one again: perhaps only the connection is silent.
    const tries = Math.max(2, hosts.length);
    for (let tried = 0; tried < tries; tried++) {
      const host = hosts[this.#next % hosts.length] as Host;
      this.#next++;
      let member: Member | undefined;
      try {
        const tls = await secrets.tls();
        member = outsideContext(() => connectTo(host, tls));
        const token = await this.#tokenAt(member);
        const said = member.send(status, {}, token);
        const { version, leader } = await deadline.race(said.answer, 'a new connection', this.patience);
        checkVersion(version);
        if (this.#closed !== undefined) throw this.#closed;
        // This member cannot answer, but another may.
        if (leader === '0' && tried < tries - 1) throw new Error(`${member.name} knows no leader`);
        this.#member = member;
        this.#connections++;
        this.#failure = undefined;
        return member;
      } catch (error) {
        member?.close();
        failure = isLockError(error) ? error : lockErrorOf(error, 'a new connection', printHost(host));
        if (isLockError(failure, 'LOCK_MISCONFIGURED') || isLockError(failure, 'LOCK_CLOSED')) throw failure;
        // The next late call reports that this one was late.
        if (!isLockError(error)) this.#failure = failure as LockError;
      }
    }
    throw failure;
  }

  /** The token of the user. One login serves all calls. */
  async #tokenAt(member: Member): Promise<string | undefined> {
    if (this.#token !== undefined) return this.#token;
    this.#loggingIn ??= this.#login(member).finally(() => (this.#loggingIn = undefined));
    this.#token = await this.#loggingIn;
    return this.#token;
  }

  async #login(member: Member): Promise<string | undefined> {
    const { secrets, deadline } = this.#parts;
    const credentials = await secrets.credentials();
    if (credentials === undefined) return undefined;
    const call = member.send(authenticate, credentials, undefined);
    try {
      const { token } = await deadline.race(call.answer, 'a login', this.#limit(deadline.timeout));
      return token;
    } catch (error) {
      call.cancel();
      // Users may be configured before the operator turns authentication on.
      if (/authentication is not enabled/.test(String(error))) return undefined;
      throw lockErrorOf(error, 'a login', member.name);
    }
  }

  #limit(left: number): number {
    return this.#parts.hosts.length === 1 ? left : Math.min(left, this.patience);
  }

  /** How long a connection may be silent before another is tried, in ms. */
  get patience(): number {
    return this.#parts.deadline.timeout * patience;
  }
}

function checkVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 3 || (major === 3 && minor >= 4)) return;
  throw misconfigured(source.where, `the server is etcd ${version}; 3.4 or newer is needed`);
}
