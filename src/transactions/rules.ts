import { transitions } from '../platform/states.ts';
import type { Instant } from '../platform/units/time.ts';

/** The states of a transaction (design §5). `final` means deep enough in the ledger that no rollback is expected on this network. */
export const transactionStates = [
  'awaiting_signatures',
  'pending',
  'submitted',
  'confirmed',
  'final',
  'expired',
  'failed',
] as const;
export type TransactionState = (typeof transactionStates)[number];

/** What a transaction of the platform or of a wallet is for. */
export const transactionKinds = [
  'create_vault',
  'add_asset',
  'remove_asset',
  'remove_investment',
  'invest',
  'stake',
  'unstake',
  'mint',
  'deliver',
  'liquidity',
  'refund',
  'fan_out',
  'anchor',
  'execute',
  'return_unsolicited',
  'gather_pot',
  'hand_over',
  'pay_remainder',
  'close_vault',
  'claim',
  'move_custody',
  'move_kept',
] as const;
export type TransactionKind = (typeof transactionKinds)[number];

/** Transactions that add a deposit to a vault before it settles, or remove one. */
export const depositKinds = [
  'add_asset',
  'remove_asset',
  'invest',
  'remove_investment',
] as const satisfies readonly TransactionKind[];

/** The next state of a transaction. A rollback sets it back to `submitted`. */
export const transactionTransition = transitions<TransactionState>(
  'transaction',
  {
    // A wallet can submit what it signed by itself; it fails if that is something else than its row says.
    awaiting_signatures: ['pending', 'confirmed', 'expired', 'failed'],
    pending: ['submitted', 'confirmed', 'expired', 'failed'],
    submitted: ['confirmed', 'expired', 'failed'],
    confirmed: ['final'],
    final: [],
    // What is confirmed counts, also when it had been given up (design D45).
    expired: ['confirmed'],
    failed: ['confirmed'],
  },
  { confirmed: ['submitted'], final: ['submitted'] },
);

/** Whether the transaction is neither final nor ended. */
export function isOpen(state: TransactionState): boolean {
  return state !== 'final' && state !== 'expired' && state !== 'failed';
}

/** The end of a transaction that can no longer be confirmed. */
export type TransactionEnd = Extract<TransactionState, 'expired' | 'failed'>;

/** Whether the transaction was given up: it expired or failed. */
export function hasEnded(state: TransactionState): state is TransactionEnd {
  return state === 'expired' || state === 'failed';
}

/** The state of a transaction as readers see it: nobody can sign it any more once the time for that is over. */
export function visibleState(
  { state, expiresAt }: { readonly state: TransactionState; readonly expiresAt: Instant },
  now: Instant,
): TransactionState {
  return state === 'awaiting_signatures' && expiresAt <= now ? 'expired' : state;
}

export function isOnLedger(state: TransactionState): boolean {
  return state === 'confirmed' || state === 'final';
}

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

interface SignatureCount {
  readonly required: number;
  readonly present: number;
  readonly missing: number;
}

interface SigningKey {
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

/** How unlikely it is that a rollback takes a transaction off the ledger again. */
export const finalities = ['none', 'low', 'medium', 'high', 'final'] as const;
export type Finality = (typeof finalities)[number];

/** How many thirds of the blocks that make a transaction final have to be exceeded. */
const THIRDS_FOR_MEDIUM = 1;
const THIRDS_FOR_HIGH = 2;

/** The last followed block, and after how many blocks a transaction is final on this network. */
export interface LedgerTip {
  /** Null before the first followed block. */
  readonly height: number | null;
  readonly confirmationDepth: number;
}

interface Confirmation {
  /** Followed blocks that the transaction is under, its own included; 0 while it is in none. */
  readonly confirmations: number;
  readonly finality: Finality;
}

/** A transaction is final by its state alone: how deep that is may have been configured otherwise when it was reached. */
export function confirmationOf(
  { state, blockHeight }: { readonly state: TransactionState; readonly blockHeight: number | null },
  tip: LedgerTip | null,
): Confirmation {
  if (!isOnLedger(state) || blockHeight === null || tip?.height == null) return { confirmations: 0, finality: 'none' };
  const confirmations = Math.max(0, tip.height - blockHeight + 1);
  return { confirmations, finality: state === 'final' ? 'final' : expectedFinality(confirmations, tip) };
}

function expectedFinality(confirmations: number, { confirmationDepth }: LedgerTip): Finality {
  if (3 * confirmations > THIRDS_FOR_HIGH * confirmationDepth) return 'high';
  return 3 * confirmations > THIRDS_FOR_MEDIUM * confirmationDepth ? 'medium' : 'low';
}

/**
 * Kinds of transactions whose outputs in custody stay there: the share of reclaimed deposits (design D13c), the token whose datum
 * says the decimals of the vault token (design D21), which another output would not have, and the vault's NFT; and what a rotation moves of
 * these.
 */
const keptInCustody: readonly TransactionKind[] = ['liquidity', 'mint', 'create_vault', 'close_vault', 'move_kept'];

/** Whether a vault can spend the outputs in its custody that a transaction of this kind made. */
export function isSpendableFromCustody(kind: TransactionKind): boolean {
  return !keptInCustody.includes(kind);
}

/** Evidence that a transaction can never be confirmed: another one, which is final, has spent an output that it spends too. */
export interface InputConflict {
  readonly input: UtxoRef;
  readonly spentBy: string;
  readonly blockHeight: number;
  readonly blockHash: string;
}

export interface UtxoRef {
  readonly txHash: string;
  readonly index: number;
}

/** An output as text, `<hash>#<index>`; queries build the same text. */
export function refText({ txHash, index }: UtxoRef): string {
  return `${txHash}#${index}`;
}
