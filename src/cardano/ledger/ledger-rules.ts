/** A rule by which the ledger refuses a transaction. */
interface Rule {
  /** What a node writes when the transaction breaks it. */
  readonly written: RegExp;
  readonly words: string;
  /** Whether the bytes of the transaction alone break it: then it can never be confirmed. Of inputs and time another node may know more. */
  readonly isOfBytes: boolean;
}

const ofBytes = (written: RegExp, words: string): Rule => ({ written, words, isOfBytes: true });
const ofState = (written: RegExp, words: string): Rule => ({ written, words, isOfBytes: false });

/** The rules that a transaction of this service can break, by their names in the specification of the ledger (Conway era). */
const rules = {
  BadInputsUTxO: ofState(/BadInputs|inputs are spent/, 'an input is spent, or not on the ledger'),
  OutsideValidityIntervalUTxO: ofState(/OutsideValidityInterval/, 'the time is outside its validity'),
  InputSetEmptyUTxO: ofBytes(/InputSetEmpty/, 'it has no input'),
  FeeTooSmallUTxO: ofBytes(/FeeTooSmall/, 'its fee is too small'),
  ValueNotConservedUTxO: ofBytes(/ValueNotConserved/, 'its outputs and fee are not what its inputs hold'),
  BabbageOutputTooSmallUTxO: ofBytes(/OutputTooSmall/, 'an output has too little ADA'),
  OutputTooBigUTxO: ofBytes(/OutputTooBig/, 'an output is too large'),
  MaxTxSizeUTxO: ofBytes(/MaxTxSize/, 'it is too large'),
  MissingVKeyWitnessesUTXOW: ofBytes(/VKeyWitnesses/, 'a signature is missing'),
  InvalidWitnessesUTXOW: ofBytes(/InvalidWitnesses/, 'a signature is invalid'),
  ScriptWitnessNotValidatingUTXOW: ofBytes(/ScriptWitnessNotValidating/, 'a script does not allow it'),
  MissingOrExtraneousScriptWitnessesUTXOW: ofBytes(/ScriptWitnesses/, 'a script is missing, or not needed'),
  WrongNetworkInTxBody: ofBytes(/WrongNetworkInTxBody/, 'it is for another network'),
  WrongNetwork: ofBytes(/WrongNetwork(?!InTxBody)/, 'an address is of another network'),
  ConflictingMetadataHash: ofBytes(/MetadataHash/, 'its metadata is not what it names'),
} as const satisfies Readonly<Record<string, Rule>>;

export type LedgerRule = keyof typeof rules;

/** The rules that a node names when it refuses a transaction, in our order; none when it gives another reason. */
export function rulesIn(text: string): readonly LedgerRule[] {
  return (Object.keys(rules) as LedgerRule[]).filter((rule) => rules[rule].written.test(text));
}

/** Whether another node may decide otherwise, because it knows of other inputs or another time. */
export function mayChange(broken: readonly LedgerRule[]): boolean {
  return broken.some((rule) => !rules[rule].isOfBytes);
}

/** Whether the transaction can never be confirmed, because of its own bytes. */
export function isFinalRefusal(broken: readonly LedgerRule[]): boolean {
  return broken.some((rule) => rules[rule].isOfBytes);
}

/** Why the ledger has refused a transaction, in words that anybody may read. */
export function refusalText(broken: readonly LedgerRule[]): string {
  return broken.length === 0
    ? 'it named no rule that this service knows'
    : broken.map((rule) => `${rules[rule].words} (${rule})`).join('; ');
}
