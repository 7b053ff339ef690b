import type {
  AcquireMessage,
  ClaimMessage,
  ElectionMessage,
  GiveUpMessage,
  HandOverMessage,
  LostMessage,
  MemberMessage,
  MigrationMessage,
  ReleaseMessage,
  RenewMessage,
  SlowMessage,
  WaitMessage,
  WithdrawMessage,
  WokenMessage,
} from './messages.ts';

/**
 * The message of each channel, by the channel's name. An adapter adds its own channels to this
 * interface: `declare module '@locks/core' { interface ChannelMessages { … } }`.
 */
export interface ChannelMessages {
  /** A call begins to claim a key. */
  'locks:claim': ClaimMessage;
  /** A lease was granted. */
  'locks:acquire': AcquireMessage;
  /** A claim begins to wait. */
  'locks:wait': WaitMessage;
  /** A claim that waits was woken. */
  'locks:woken': WokenMessage;
  /** A claim ended without a lease. */
  'locks:giveup': GiveUpMessage;
  /** A renewal was answered. */
  'locks:renew': RenewMessage;
  /** A lease was released. */
  'locks:release': ReleaseMessage;
  /** A lease goes to another process. */
  'locks:handover': HandOverMessage;
  /** What a claim may have left was given back. */
  'locks:withdraw': WithdrawMessage;
  /** A lease was lost. */
  'locks:lost': LostMessage;
  /** A claim has waited for long. */
  'locks:slow': SlowMessage;
  /** A member of a composite is in another state. */
  'locks:member': MemberMessage;
  /** A step of a migration. */
  'locks:migration': MigrationMessage;
  /** What became of a candidate. */
  'locks:election': ElectionMessage;
}
