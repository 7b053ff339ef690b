import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameSplitter } from '../../src/wire/frames.ts';

const limit = 1_000;

function frame(content: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length);
  return Buffer.concat([length, content]);
}

/** Frames in which every byte is told as a string. */
function splitter(): { readonly frames: string[]; readonly splitter: FrameSplitter } {
  const frames: string[] = [];
  const cutter = new FrameSplitter(limit, (reader) => {
    let content = '';
    while (reader.left >= 4) content += `${reader.int()},`;
    while (reader.left > 0) content += `${reader.bool()};`;
    frames.push(content);
  });
  return { frames, splitter: cutter };
}

test('frames come whole and in order, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
      (contents, cuts) => {
        const bytes = Buffer.concat(contents.map((content) => frame(content)));
        const whole = splitter();
        for (const content of contents) whole.splitter.push(frame(content));
        expect(whole.frames).toHaveLength(contents.length);
        const cut = splitter();
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const end = at + (cuts[turn % cuts.length] ?? 1);
          // Like a socket whose buffer is used again.
          const chunk = Buffer.from(bytes.subarray(at, end));
          cut.splitter.push(chunk);
          chunk.fill(0xff);
          at = end;
        }
        expect(cut.frames).toEqual(whole.frames);
      },
    ),
  );
});

test('a burst and a long frame in small pieces take time in proportion to their bytes', () => {
  // Quadratic work would take minutes for these.
  const cutter = new FrameSplitter(2 ** 26, () => {});
  const small = frame(Buffer.alloc(4));
  cutter.push(Buffer.concat(Array.from({ length: 500_000 }, () => small)));
  const long = frame(Buffer.alloc(2 ** 25));
  for (let at = 0; at < long.length; at += 1_000) cutter.push(long.subarray(at, at + 1_000));
});
