/** The slot of a key in a Redis Cluster: CRC16 (XMODEM) of it, or of its hash tag. */
export function keySlot(key: string): number {
  const from = key.indexOf('{');
  const to = from < 0 ? -1 : key.indexOf('}', from + 1);
  // An empty tag is none.
  const hashed = to > from + 1 ? key.slice(from + 1, to) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return crc & 0x3fff;
}
