import { blake2b } from '@noble/hashes/blake2.js';

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The CIP-14 fingerprint of an asset. */
export function assetFingerprint(unit: string): string {
  return bech32('asset', blake2b(Buffer.from(unit, 'hex'), { dkLen: 20 }));
}

function bech32(prefix: string, bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const words = (bits.match(/.{5}/g) ?? []).map((word) => Number.parseInt(word, 2));
  const letters = [...Buffer.from(prefix)];
  const checked = [...letters.map((code) => code >> 5), 0, ...letters.map((code) => code & 31), ...words];
  const sum = polymod([...checked, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => (sum >> shift) & 31);
  return `${prefix}1${[...words, ...checksum].map((word) => ALPHABET.charAt(word)).join('')}`;
}

function polymod(values: number[]): number {
  return values.reduce((sum, value) => {
    const top = sum >>> 25;
    const next = ((sum & 0x1ffffff) << 5) ^ value;
    return GENERATOR.reduce((mixed, generator, bit) => ((top >> bit) & 1 ? mixed ^ generator : mixed), next);
  }, 1);
}
