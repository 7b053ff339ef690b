/** Where a server's program comes from when it runs as a local process. */
export interface Program {
  /** The executable, looked up in `PATH`. */
  readonly binary: string;
  readonly debianPackage: string;
  /** How to install it on macOS, as a command line. */
  readonly macos: string;
}

/** All that differs between one kind of server and another. */
export interface ServerDefinition {
  /** Part of environment variables (`LOCKS_TEST_<NAME>_URL`) and of temporary names: lower case. */
  readonly name: string;
  /** The image for Docker, unless `LOCKS_TEST_<NAME>_IMAGE` names another. */
  readonly image: string;
  /** The port that the server listens on inside its container. */
  readonly containerPort: number;
  readonly containerCommand: readonly string[];
  readonly program: Program;
  /** The arguments of a local process that listens on loopback only and keeps its files in `folder`. */
  localArguments(port: number, folder: string): readonly string[];
  /** What the server prints when another process has its port. */
  readonly portTaken: RegExp;
  /** Includes the scheme and the credentials, if there are any. */
  url(host: string, port: number): string;
  /** Rejects as long as the server at `url`, and the process `pid` if it is given, is not ready; settles within about a second. */
  probe(url: URL, pid?: number): Promise<void>;
  /** Is never shown in an error. */
  readonly secret?: string;
}
