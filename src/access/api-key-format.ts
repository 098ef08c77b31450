import { hash, timingSafeEqual } from 'node:crypto';

/** The parts of `vts_<env>_<id>_<secret>` (design D38). */
export interface ApiKeyParts {
  readonly environment: string;
  /** 32 lower-case hex digits. */
  readonly id: string;
  /** 256 random bits in base64url. */
  readonly secret: string;
}

const shape = /^vts_([a-z0-9]{1,32})_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/;

export function isApiKey(text: string): boolean {
  return shape.test(text);
}

/** Parses the text of a key; returns null when it is no key. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const [, environment, id, secret] = shape.exec(text) ?? [];
  return environment && id && secret ? { environment, id, secret } : null;
}

/** Formats a new key: `id` is any UUID, `secret` 32 random bytes. Throws RangeError for other parts. */
export function formatApiKey({ environment, id, secret }: { environment: string; id: string; secret: Buffer }): string {
  const text = `vts_${environment}_${id.replaceAll('-', '')}_${secret.toString('base64url')}`;
  if (!shape.test(text))
    throw new RangeError('an API key has an environment of letters and digits, a UUID and 32 random bytes');
  return text;
}

/** The hash that is stored instead of the secret. A fast hash is safe for 256 random bits. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Whether the hash is that of the secret; compared in constant time. */
export function isSecret(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
