/** The package has no types. */
declare module 'ioredis-4' {
  export default class Redis {
    constructor(options: object);
    disconnect(): void;
  }
}
