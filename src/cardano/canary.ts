import { scriptHash } from './scripts/native-script.ts';

const script = { all: [{ sig: '00'.repeat(28) }, { before: 1_000 }] };
const hash = 'ca416c5a57157506ff84ef4424c924ed660fa0e2cad53dafc8a503cf';

/** Checks that the serialization library still works, with one cheap call. */
export function checkSerializationLibrary(): void {
  const computed = scriptHash(script);
  if (computed !== hash) throw new Error(`the serialization library hashes a script to ${computed}`);
}
