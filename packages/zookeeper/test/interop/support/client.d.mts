/** What tests do with ZooKeeper besides locking. */
export interface Client {
  create(path: string, data: string, mode: 'PERSISTENT' | 'EPHEMERAL' | 'EPHEMERAL_SEQUENTIAL'): Promise<string>;
  createPath(path: string): Promise<string>;
  children(path: string): Promise<string[]>;
  read(path: string): Promise<string>;
  write(path: string, data: string): Promise<unknown>;
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  close(): void;
}

/** A client of its own with a session of its own. */
export function openClient(servers: string, sessionTimeout: number): Promise<Client>;
