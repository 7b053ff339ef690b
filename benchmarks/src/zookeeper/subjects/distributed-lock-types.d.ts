declare module 'distributed-lock' {
  /** One lock, or the wish for it. */
  interface ReentrantLock {
    readonly id: string;
  }

  /**
   * Reads its settings and its client from two properties, which the class for ZooKeeper fills in.
   */
  class DistributedLockService {
    lock(id: string, expire: number): Promise<ReentrantLock>;
    unlock(lock: ReentrantLock): Promise<void>;
  }

  const distributedLock: {
    readonly DistributedLockService: typeof DistributedLockService;
    readonly ZKDistributedReentrantLock: unknown;
  };
  export default distributedLock;
}
