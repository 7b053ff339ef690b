import { subscribe } from '@locks/core';
import type { AcquireMessage, ClaimMessage, Lease, LockMessage, Subscription } from '@locks/core';
import { SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { attribute, failureOf, renewalResultOf, seconds } from '../attributes.ts';
import type { HoldResult } from '../attributes.ts';
import type { KeyGroups } from '../key-groups.ts';

/** A call for a lock in progress. */
interface Call {
  readonly span: Span;
  readonly group: string;
  /** The caller's. A grant after a wait is reported outside of it. */
  readonly context: Context;
}

/** Spans of this process. */
export interface Spans {
  within<Held extends Pick<Lease, 'owner'>, T>(lease: Held, work: (lease: Held) => T): T;
  readonly end: () => void;
}

/** Creates the spans of all clients of this process. */
export function recordSpans(tracer: Tracer, groups: KeyGroups): Spans {
  const calls = new Map<string, Call>();
  const holds = new Map<string, Span>();

  function beginCall(message: ClaimMessage): Call {
    const { ttl, permits } = message;
    const group = groups.of(message.key);
    const attributes: Attributes = { ...about(message, group), [attribute.ttl]: seconds(ttl) };
    if (permits !== undefined) attributes[attribute.permits] = permits;
    const caller = context.active();
    const span = tracer.startSpan(`acquire ${group}`, { kind: SpanKind.CLIENT, attributes }, caller);
    return { span, group, context: caller };
  }

  function beginHold(message: AcquireMessage, call: Call | undefined): Span {
    const group = call?.group ?? groups.of(message.key);
    const attributes = { ...about(message, group), [attribute.token]: `${message.token}` };
    const links = call === undefined ? [] : [{ context: call.span.spanContext() }];
    const options = { kind: SpanKind.INTERNAL, attributes, links };
    return tracer.startSpan(`hold ${group}`, options, call?.context ?? context.active());
  }

  function endHold(owner: string, result: HoldResult, attributes: Attributes = {}): void {
    const span = holds.get(owner);
    if (span === undefined) return;
    holds.delete(owner);
    span.setAttributes({ [attribute.holdResult]: result, ...attributes });
    span.end();
  }

  const subscriptions: readonly Subscription[] = [
    subscribe('locks:claim', (message) => {
      const { owner, replaces = '' } = message;
      const replaced = calls.get(replaces);
      calls.delete(replaces);
      replaced?.span.addEvent('locks.grant_too_late').setAttribute(attribute.owner, owner);
      calls.set(owner, replaced ?? beginCall(message));
    }),
    subscribe('locks:wait', ({ owner }) => void calls.get(owner)?.span.addEvent('locks.wait')),
    subscribe('locks:slow', ({ owner, reason, by, owners }) => {
      const span = calls.get(owner)?.span;
      if (span === undefined) return;
      span.addEvent('locks.slow', { [attribute.slowReason]: reason, [attribute.holders]: [...by] });
      for (const holder of owners) {
        const hold = holds.get(holder);
        if (hold !== undefined) span.addLink({ context: hold.spanContext() });
      }
    }),
    subscribe('locks:acquire', (message) => {
      const { owner, attempts } = message;
      const call = calls.get(owner);
      calls.delete(owner);
      call?.span.setAttributes({ [attribute.acquireResult]: 'acquired', [attribute.attempts]: attempts });
      call?.span.end();
      holds.set(owner, beginHold(message, call));
    }),
    subscribe('locks:giveup', ({ owner, error, attempts }) => {
      const span = calls.get(owner)?.span;
      calls.delete(owner);
      if (span === undefined) return;
      const { result, errorType } = failureOf(error);
      span.setAttributes({ [attribute.acquireResult]: result, [attribute.attempts]: attempts });
      if (errorType !== undefined) fail(span, errorType, error);
      span.end();
    }),
    subscribe('locks:renew', (message) => {
      holds.get(message.owner)?.addEvent('locks.renewal', {
        [attribute.renewalResult]: renewalResultOf(message),
        [attribute.renewalDuration]: seconds(message.took),
        [attribute.remaining]: seconds(message.remaining),
      });
    }),
    subscribe('locks:lost', ({ owner, code, reason }) => {
      const span = holds.get(owner);
      if (span !== undefined) fail(span, code, reason);
      endHold(owner, 'lost', { [attribute.lossCode]: code });
    }),
    subscribe('locks:release', ({ owner, freed }) => endHold(owner, 'released', { [attribute.freed]: freed })),
    subscribe('locks:transfer', ({ owner }) => endHold(owner, 'transferred')),
  ];

  return {
    within(lease, work) {
      const span = holds.get(lease.owner);
      if (span === undefined) return work(lease);
      return context.with(trace.setSpan(context.active(), span), () => work(lease));
    },
    end: () => {
      for (const end of subscriptions) end();
      for (const { span } of calls.values()) span.end();
      for (const span of holds.values()) span.end();
      calls.clear();
      holds.clear();
    },
  };
}

function about({ provider, key, owner, mode }: LockMessage, group: string): Attributes {
  return {
    [attribute.provider]: provider,
    [attribute.key]: key,
    [attribute.group]: group,
    [attribute.mode]: mode,
    [attribute.owner]: owner,
  };
}

function fail(span: Span, type: string, error: unknown): void {
  span.setAttribute(attribute.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
}
