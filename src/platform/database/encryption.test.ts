import { expect, test } from '@jest/globals';
import { createEncryption } from './encryption.ts';

const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
const countedIv = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, i) => i));
const place = { table: 'vaults', column: 'admin_email', id: 'v-1' };
const text = 'ada@example.org ₳';
const { keyId } = createEncryption({ current: key });
/** Made with Python's `cryptography` (AESGCM) from the same key, IV 00..0b and associated data `vaults:admin_email:v-1`. */
const stored = { data: 'Jma3W6Cdo3b9LfKl3psfTWFUNA==', iv: 'AAECAwQFBgcICQoL', tag: 'lQBpKe9ocI9pEKXVO8MoUQ==' };

test('a value is stored as AES-256-GCM with its location as associated data', () => {
  expect(createEncryption({ current: key }, countedIv).encrypt(text, place)).toEqual({ key: keyId, ...stored });
  expect(createEncryption({ current: key }).decrypt(stored, place)).toBe(text);
});

test('each value has its own IV', () => {
  const encryption = createEncryption({ current: key });
  expect(encryption.encrypt(text, place).iv).not.toBe(encryption.encrypt(text, place).iv);
});

test.each([
  ['moved to another row', stored, { ...place, id: 'v-2' }],
  ['moved to another column', stored, { ...place, column: 'name' }],
  ['changed', { ...stored, data: stored.data.replace('J', 'K') }, place],
  ['stored with a changed tag', { ...stored, tag: stored.tag.replace('l', 'm') }, place],
  ['stored with a shortened tag', { ...stored, tag: 'lQBpKe9ocI9pEKXV' }, place],
])('a value that was %s cannot be read', (_case, encrypted, where) => {
  expect(() => createEncryption({ current: key }).decrypt(encrypted, where)).toThrow();
});

test('another key cannot read it, and a key of another length is refused', () => {
  expect(() => createEncryption({ current: Buffer.alloc(32) }).decrypt(stored, place)).toThrow();
  expect(() => createEncryption({ current: Buffer.alloc(16) })).toThrow(RangeError);
});

test('after a rotation old values are read with the key that they name, and new ones are under the new key', () => {
  const newKey = Buffer.alloc(32, 7);
  const rotated = createEncryption({ current: newKey, other: key });
  for (const value of [stored, createEncryption({ current: key }).encrypt(text, place)])
    expect(rotated.decrypt(value, place)).toBe(text);
  const value = rotated.encrypt(text, place);
  expect(createEncryption({ current: newKey }).decrypt(value, place)).toBe(text);
  expect(() => createEncryption({ current: key }).decrypt(value, place)).toThrow(rotated.keyId);
  expect(rotated.keyId).not.toBe(keyId);
});
