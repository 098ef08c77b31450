/** A process that records facts and prints the confirmed ones until it is killed. Argument: its `BatcherOptions` in JSON. */
import { openBatcher, type BatcherOptions } from './anchor-batcher.ts';

const anchors = openBatcher(JSON.parse(process.argv[2] ?? '') as BatcherOptions);
for (let number = 0; ; number += 1) {
  const notes = await Promise.all([anchors.note(`${number} a`), anchors.note(`${number} b`)]);
  process.stdout.write(`${notes.map((note) => JSON.stringify(note)).join('\n')}\n`);
}
