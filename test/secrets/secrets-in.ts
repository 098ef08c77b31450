import { canaries } from './canaries.ts';

const walletSignature = 'signature of a wallet';

/** Secrets that are recognized by their form, whoever made them. */
const forms: Readonly<Record<string, RegExp>> = {
  'API key': /vts_[a-z0-9]{1,32}_[0-9a-f]{32}_[\w-]{43}/,
  // 256 random bits in base64url. Hashes and addresses have no upper case, names of code have no digits.
  'session token, or the secret of an API key':
    /(?<![\w-])(?=[\w-]{0,42}\d)(?=[\w-]{0,42}[a-z])(?=[\w-]{0,42}[A-Z])[\w-]{43}(?![\w-])/,
  // COSE_Sign1 whose protected header is {alg: EdDSA, "address": …}, in hex.
  [walletSignature]: /a201276761646472657373/i,
  'private key': /\b(xprv|ed25519e?_sk|(root|acct|addr)_x?sk)1[02-9ac-hj-np-z]{20}/,
  // The look-behind is bounded: a log may hold long words. A name of digits only is a process of Temporal, `@type` a part of its errors.
  'e-mail address': /@(?<=[a-z][\w.+-]{0,63}@)(?!type\.googleapis)[a-z][\w-]*\.[a-z]{2,}/i,
};

/** The kinds of secrets in a text: recognized by their form, or one of the given, by its name. */
export function secretsIn(text: string, given: Readonly<Record<string, string>> = canaries): string[] {
  const recognized = Object.entries(forms).filter(([, form]) => form.test(text));
  const named = Object.entries(given).filter(([, secret]) => text.includes(secret));
  return [...recognized, ...named].map(([kind]) => kind);
}

/** Fields of successful responses that give a secret to whom it belongs. */
const intended = new Set(['key', 'token', 'adminEmail']);

/** The kinds of secrets in the headers and the body of a response that have no business there. */
export function secretsInResponse({ status, headers, text }: Pick<Response, 'status' | 'headers'> & { text: string }) {
  const isJson = headers.get('content-type')?.includes('json') === true;
  const isRefused = status >= 400;
  const body = isJson && !isRefused && text !== '' ? withoutIntended(text) : text;
  // The signature of a vote is part of its public proof.
  return secretsIn([...headers.values(), body].join('\n')).filter((kind) => isRefused || kind !== walletSignature);
}

function withoutIntended(json: string): string {
  return JSON.stringify(JSON.parse(json, (name, value: unknown) => (intended.has(name) ? undefined : value)));
}
