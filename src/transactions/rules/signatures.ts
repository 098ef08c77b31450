/** Keys of which some have to sign. */
export interface Cosigners {
  /** How many of them. */
  readonly required: number;
  readonly keyHashes: readonly string[];
}

/** Whose signatures a transaction needs; all keys as key hashes. */
export interface SignatureRule {
  /** Whether wallets sign it, or the platform alone. */
  readonly signer: 'wallet' | 'platform';
  /** Keys that must sign, those of the platform included. */
  readonly requiredSigners: readonly string[];
  /** The keys of the platform among them, in a transaction that wallets sign too. */
  readonly platformSigners: readonly string[];
  /** Other keys, of which not all have to sign; null when there are none. */
  readonly cosigners: Cosigners | null;
}

/** How many signatures of wallets a transaction needs and has. */
export interface SignatureCount {
  readonly required: number;
  readonly present: number;
  readonly missing: number;
}

/** A key that signs a transaction. */
export interface SigningKey {
  readonly keyHash: string;
  readonly isPlatform: boolean;
  /** Whether the transaction cannot do without it; the others are cosigners of whom some suffice. */
  readonly isRequired: boolean;
}

/** Who signs what the platform has built: it alone, or registered cosigners before it. */
export function platformSignature(
  platformSigners: readonly string[],
  cosigners: Cosigners | null,
): Pick<SignatureRule, 'signer' | 'platformSigners' | 'cosigners'> {
  if (!cosigners) return { signer: 'platform', platformSigners: [], cosigners: null };
  const { required, keyHashes } = cosigners;
  return { signer: 'wallet', platformSigners, cosigners: required < keyHashes.length ? { required, keyHashes } : null };
}

/** Every key that may sign a transaction, each once. */
export function signingKeys({ signer, requiredSigners, platformSigners, cosigners }: SignatureRule): SigningKey[] {
  const isPlatform = (keyHash: string) => signer === 'platform' || platformSigners.includes(keyHash);
  const required = requiredSigners.map((keyHash) => ({ keyHash, isPlatform: isPlatform(keyHash), isRequired: true }));
  const named = cosigners?.keyHashes ?? [];
  const others = named.map((keyHash) => ({ keyHash, isPlatform: isPlatform(keyHash), isRequired: false }));
  // Of a key that is named twice, its being required counts.
  return [...new Map([...others, ...required].map((key) => [key.keyHash, key])).values()];
}

/** Counts the keys of wallets among `signed`, each once and no more cosigners than needed. The platform signs last and is not counted. */
export function countSignatures(rule: SignatureRule, signed: ReadonlySet<string>): SignatureCount {
  const ofWallets = signingKeys(rule).filter(({ isPlatform }) => !isPlatform);
  const all = ofWallets.filter(({ isRequired }) => isRequired);
  const some = ofWallets.filter(({ isRequired }) => !isRequired);
  const signedOf = (keys: readonly SigningKey[]) => keys.filter(({ keyHash }) => signed.has(keyHash)).length;
  const needed = rule.cosigners?.required ?? 0;
  const required = all.length + needed;
  const present = signedOf(all) + Math.min(needed, signedOf(some));
  return { required, present, missing: required - present };
}

/** Whether wallets have given every signature that a transaction needs from them. */
export function isSignedByWallets(
  rule: SignatureRule & { readonly witnesses: readonly { readonly keyHash: string }[] },
): boolean {
  return countSignatures(rule, new Set(rule.witnesses.map(({ keyHash }) => keyHash))).missing === 0;
}
